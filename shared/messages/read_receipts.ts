/**
 * Marks received messages as read on their channels, and shows typing there. No message waits for either. A
 * failure is returned to the caller that asked, else logged; it is not retried.
 */
import type { Database } from "../database/database.ts";
import type { UnreadMessages, UnreadTarget } from "../database/rpcs/messages.ts";
import type { OutboxOutcome, OutboxRow } from "../database/rpcs/outbox.ts";
import type { ReadOutcome } from "../model/read_outcome.ts";
import type { ReadReceipts } from "../model/read_receipts.ts";
import type { ActionReceipt } from "../providers/provider.ts";
import type { RunAfterResponse } from "../runtime/background.ts";
import { describeDefect } from "../runtime/log.ts";
import { type ActingServices, askChannel, describeAction } from "./channel_action.ts";

export interface ReadingServices extends ActingServices {
  readonly database: Database;
}

/** How long typing is shown where a call says it: a channel ends it sooner when a message comes. */
const typingMs = 20_000;

/**
 * Marks a received message, and those before it, as read because a caller asks for it; also one that was
 * marked before.
 *
 * @throws {AppError} `message_not_found`; `message_not_readable` for a message of ours.
 */
export async function markReadByCall(
  services: ReadingServices & { readonly runAfterResponse: RunAfterResponse },
  target: { readonly instanceId: string; readonly messageId: string },
  showsTyping: boolean,
): Promise<ReadOutcome> {
  const unread = await services.database.rpc("list_unread_messages", {
    ...target,
    direction: "inbound",
  });
  const { typing } = await services.openProvider(unread.instance);
  const receipt = await markRead(services, unread, showsTyping && typing === "with_read");
  const channel = toWord(receipt, "read");
  const messageId = unread.messages.at(-1)?.messageId ?? target.messageId;
  const told = { messageId, channel, details: describeAction(receipt) };
  if (!showsTyping) return { ...told, typing: null };
  if (typing === "before_sending") return { ...told, typing: "not_supported" };
  if (typing === "with_read") return { ...told, typing: toWord(receipt, "shown") };
  services.runAfterResponse(() => showTyping(services, unread));
  return { ...told, typing: "requested" };
}

/** The word of an answer for an outcome. */
function toWord<Done extends string>(
  { outcome }: ActionReceipt,
  done: Done,
): Done | "not_supported" | "refused" | "unknown" {
  if (outcome === "done") return done;
  return outcome === "rejected" ? "refused" : outcome;
}

async function markRead(
  services: ReadingServices,
  { instance, to, messages }: UnreadMessages,
  showsTyping: boolean,
): Promise<ActionReceipt> {
  // Of a missed call and nothing before it.
  if (messages.length === 0) return { outcome: "not_supported" };
  const receipt = await askChannel(services, instance, () => ({
    action: "mark_read",
    to,
    providerMessageIds: messages.map(({ providerMessageId }) => providerMessageId),
    showsTyping,
  }));
  const messageIds = messages.filter(({ isRead }) => !isRead).map(({ messageId }) => messageId);
  if (receipt.outcome === "done" && messageIds.length > 0) {
    const { instanceId } = instance;
    await services.database.rpc("note_messages_read", { instanceId, messageIds });
  }
  return receipt;
}

async function showTyping(
  services: ReadingServices,
  { instance, to }: UnreadMessages,
): Promise<void> {
  const receipt = await askChannel(services, instance, () => ({
    action: "show_typing",
    to,
    durationMs: typingMs,
  }));
  logRefusal(services, instance.instanceId, receipt);
}

function logRefusal(
  { log }: ReadingServices,
  instanceId: string,
  receipt: ActionReceipt,
): void {
  const refusal = describeAction(receipt);
  if (refusal !== undefined) log.info("read_receipt_refused", { instanceId, code: refusal.code });
}

/** Marks what is unread as read because the instance's setting says so. Never throws. */
async function markUnread(services: ReadingServices, target: UnreadTarget): Promise<void> {
  const { instanceId } = target;
  try {
    const unread = await services.database.rpc("list_unread_messages", target);
    if (unread.messages.at(-1)?.isRead !== false) return;
    logRefusal(services, instanceId, await markRead(services, unread, false));
  } catch (error) {
    services.log.error("read_receipt_failed", { instanceId, ...describeDefect(error) });
  }
}

/**
 * Marks a person's messages as read after one was sent to the person, where the instance's setting says so.
 * Never throws. Call it when the message's outcome is recorded.
 */
export async function markReadAfterReply(
  services: ReadingServices,
  sent: {
    readonly instanceId: string;
    readonly messageId: string;
    readonly readReceipts: ReadReceipts;
    readonly outcome: "accepted" | "rejected" | "unknown" | "deferred";
  },
): Promise<void> {
  const { instanceId, messageId, readReceipts, outcome } = sent;
  if (readReceipts !== "on_reply" || outcome !== "accepted") return;
  await markUnread(services, { instanceId, messageId });
}

/** Marks an arrived message as read: work of the outbox, done once, whatever comes of it. */
export async function deliverReadReceipt(
  services: ReadingServices,
  { payload: { instanceId, messageId } }: OutboxRow,
): Promise<OutboxOutcome> {
  if (typeof instanceId !== "string" || typeof messageId !== "string") {
    throw new Error("a read_receipt row names no message");
  }
  await markUnread(services, { instanceId, messageId });
  return { outcome: "done" };
}

/**
 * Shows the person that an answer is being written, where the channel can: on the official channel this marks
 * the newest message as read. Never throws.
 */
export async function showAnswering(
  services: ReadingServices,
  target: { readonly instanceId: string; readonly conversationId: string },
): Promise<void> {
  const { instanceId } = target;
  try {
    const unread = await services.database.rpc("list_unread_messages", target);
    const { typing } = await services.openProvider(unread.instance);
    if (typing === "by_itself") await showTyping(services, unread);
    if (typing === "with_read" && unread.messages.length > 0) {
      logRefusal(services, instanceId, await markRead(services, unread, true));
    }
  } catch (error) {
    services.log.error("read_receipt_failed", { instanceId, ...describeDefect(error) });
  }
}
