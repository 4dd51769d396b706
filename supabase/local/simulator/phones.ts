/**
 * The customers' phones. They receive messages, and their owners reply. The simulator reports each
 * action on a phone as a webhook event in the provider's own format.
 */
import * as z from "zod";
import { isBlocked } from "./actions.ts";
import { channelOf } from "./channels.ts";
import type { SimulatorContext } from "./context.ts";
import type { SimulatedFile } from "./file_store.ts";
import { phoneFields, textSchema, userIdSchema } from "./phone_fields.ts";
import {
  type DeliveryStatus,
  type ReplyContent,
  replyFileTypes,
  type SimulatedMessage,
  type SimulatedReply,
  type SimulatedStatus,
} from "./records.ts";
import { arrivalMs, waitUnlessClosing } from "./waits.ts";
import { findPartFlaw } from "./part_writers.ts";
import { writtenPartsSchema } from "./written_parts.ts";

/**
 * A message that a person writes: the customer, or an employee on the company's connected phone.
 */
export const replySchema = z.object({
  ...phoneFields,
  writtenBy: z.enum(["customer", "company"]).default("customer"),
  customerName: z.string().trim().min(1).max(100).default("Maria Silva"),
  /** The customer's user id, which only the official channel tells. */
  userId: userIdSchema.optional(),
  replyTo: z.string().min(1).nullable().default(null),
  /**
   * When the message was written; default: now. A message of yesterday leaves the window closed.
   */
  writtenAt: z.iso.datetime({ offset: true }).refine(
    (instant) => Date.parse(instant) <= Date.now(),
    "must not be in the future",
  ).optional(),
  /** Whether another responder of the number holds the conversation: the official channel tells it apart. */
  isStandby: z.boolean().optional(),
  /** A position, a card, an order: what the service's records call so. */
  parts: writtenPartsSchema.default({}),
  content: z.discriminatedUnion("messageType", [
    z.object({ messageType: z.literal("text"), text: textSchema }),
    z.object({ messageType: z.literal("none") }),
    z.object({
      messageType: z.enum(replyFileTypes),
      mediaUrl: z.url({ protocol: /^https?$/ }),
      text: textSchema.nullable().default(null),
      fileName: z.string().min(1).max(255).nullable().default(null),
      isEmbedded: z.boolean().default(false),
    }),
    z.object({
      messageType: z.enum(["list_choice", "button_choice"]),
      id: z.string().min(1).max(200),
      title: z.string().min(1).max(200),
    }),
  ]).default({ messageType: "none" }),
});

/** The owner opens the chat, which marks all messages on the phone as read. */
export const readingSchema = z.object(phoneFields);

/** Why the channel could not tell this message; null where it can. */
export function findReplyFlaw(
  { files }: SimulatorContext,
  { provider, content, userId, parts, isStandby, writtenBy }: z.infer<typeof replySchema>,
): { readonly path: string; readonly message: string } | null {
  if (userId !== undefined && !channelOf(provider).isOfficial) {
    return { path: "userId", message: "is told by the official channel alone" };
  }
  if (isStandby === true && (!channelOf(provider).isOfficial || writtenBy !== "customer")) {
    return {
      path: "isStandby",
      message: "is of a customer's message on the official channel alone",
    };
  }
  const flaw = findPartFlaw(channelOf(provider).parts, { parts, content });
  if (flaw !== null) return flaw;
  if (!("mediaUrl" in content) || !content.isEmbedded) return null;
  if (!channelOf(provider).embedsFiles) {
    return {
      path: "content.isEmbedded",
      message: "no event of this provider holds a file",
    };
  }
  return files.find(content.mediaUrl) !== undefined
    ? null
    : { path: "content.mediaUrl", message: "must be a file of /simulator/files to be embedded" };
}

/** The file that the event holds itself. */
function findEmbedded(
  { files }: SimulatorContext,
  content: ReplyContent,
): SimulatedFile | undefined {
  return "mediaUrl" in content && content.isEmbedded ? files.find(content.mediaUrl) : undefined;
}

/** Stores a written message and sends it to the instance's webhook, but not that of a blocked customer. */
export function writeReply(
  simulator: SimulatorContext,
  { writtenAt, ...request }: z.infer<typeof replySchema>,
): SimulatedReply {
  const channel = channelOf(request.provider);
  const isRouted = channel.isOfficial === true && request.writtenBy === "customer";
  const isOthers = isRouted && simulator.responders.recordInbound(request) !== "service";
  const reply = simulator.store.addReply({
    ...request,
    ...(isOthers ? { isStandby: true } : {}),
    content: withFile(simulator, request.content),
    ...(writtenAt === undefined ? {} : { receivedAt: new Date(writtenAt).toISOString() }),
    providerMessageId: channel.createMessageId(),
  });
  const event = channel.composeMessage(reply, findEmbedded(simulator, reply.content));
  if (reply.writtenBy === "company" || !isBlocked(simulator, reply)) {
    simulator.webhooks.send(reply.provider, reply.instance, event);
  }
  return reply;
}

/** What the channel tells of a file that was sent from the phone. */
function withFile({ files }: SimulatorContext, content: ReplyContent): ReplyContent {
  if (!("mediaUrl" in content)) return content;
  const file = files.find(content.mediaUrl);
  if (file === undefined) return content;
  const { id, mimeType, sha256, fileName } = file;
  const shownName = content.messageType === "document" ? fileName : null;
  return {
    ...content,
    fileName: content.fileName ?? shownName,
    file: { id, mimeType, sha256 },
  };
}

/** Marks the messages on a phone as read. @returns the number of messages. */
export function readChat(
  simulator: SimulatorContext,
  { provider, instance, waId }: z.infer<typeof readingSchema>,
): number {
  const isOnPhone = (record: SimulatedMessage | SimulatedStatus): boolean =>
    record.provider === provider && record.instance === instance && record.waId === waId;
  const { messages, statuses } = simulator.store.logs;
  const read = new Set(
    statuses.read({
      matches: (status) => isOnPhone(status) && status.status === "read",
      limit: statuses.capacity,
    }).items.map(({ providerMessageId }) => providerMessageId),
  );
  const unread = messages.read({ matches: isOnPhone, limit: messages.capacity }).items
    .filter(({ providerMessageId }) => !read.has(providerMessageId));
  for (const message of unread) reportStatus(simulator, message, "read");
  return unread.length;
}

/** Starts to report every arriving message as `sent` and `delivered`, as phones do. */
export function reportArrivals(simulator: SimulatorContext): void {
  simulator.store.subscribe((event) => {
    if (event.type !== "added" || event.kind !== "messages") return;
    const message = event.record as SimulatedMessage;
    if (!simulator.webhooks.has(message.provider, message.instance)) return;
    // It arrives when the channel lets it go.
    if (message.answer === "held") return;
    void reportArrival(simulator, message);
  });
}

/** Waits before it reports, so that the provider's answer arrives first. */
export async function reportArrival(
  simulator: SimulatorContext,
  message: SimulatedMessage,
): Promise<void> {
  await waitUnlessClosing(arrivalMs, simulator.closing);
  if (simulator.closing.aborted) return;
  // Of a reaction no channel tells more.
  const told = message.messageType === "reaction"
    ? ["sent"] as const
    : ["sent", "delivered"] as const;
  for (const status of told) reportStatus(simulator, message, status);
}

function reportStatus(
  simulator: SimulatorContext,
  message: SimulatedMessage,
  status: DeliveryStatus,
): void {
  const { provider, instance, providerMessageId, waId, correlationId } = message;
  const billedAs = categoryOf(message);
  const record = simulator.store.addStatus({
    ...{ provider, instance, providerMessageId, waId, status },
    ...(channelOf(provider).isOfficial === true
      ? { billedAs, isFreeEntry: simulator.freeEntryPoints.isFree({ provider, instance, waId }) }
      : {}),
  });
  const event = channelOf(provider).composeStatus({ ...record, status }, correlationId);
  simulator.webhooks.send(provider, instance, event);
}

/** What the official channel bills a message as. */
function categoryOf({ template, directSendCategory = "service" }: SimulatedMessage): string {
  return template === null ? directSendCategory : (template.category ?? "UTILITY").toLowerCase();
}
