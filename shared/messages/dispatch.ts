import type { Database } from "../database/database.ts";
import type { OpenProvider } from "../providers/open_provider.ts";
import { describeDefect, type Log } from "../runtime/log.ts";
import { readStoredContent } from "../model/message_content.ts";
import { toLeavingContent } from "../model/numbered_text.ts";
import type { OutboundMessage, Provider, Receipt } from "../providers/provider.ts";
import { claimDueMessages, type LeasedMessage, toLeaseSeconds } from "./claim.ts";
import { type Departure, type RungToSend, sendByLadder, toRungMessage } from "./climb.ts";
import type { ClaimedMessage } from "../database/rpcs/queue.ts";
import { type LeavingFile, linkContent, type MessageFiles, sendFile } from "./message_file.ts";
import { markReadAfterReply } from "./read_receipts.ts";
import { recordOutcome } from "./settle.ts";
import { wakeDispatcher } from "./wake_up.ts";

/** Services that dispatching uses. */
export interface DispatchingServices {
  readonly database: Database;
  readonly openProvider: OpenProvider;
  readonly providerTimeoutMs: number;
  /** Where the files of messages are. */
  readonly files: MessageFiles;
  readonly log: Log;
}

/** How a claimed message has ended; `deferred` where it waits for its contact's answer now, by its ladder. */
export type DispatchOutcome = Receipt["outcome"] | "deferred";

/**
 * Sends one claimed message and records the outcome. Never throws: the claim is settled, or its lease
 * ends.
 *
 * @param awaitTurn see `ClaimedCall`. It never rejects.
 */
export async function dispatchMessage(
  services: DispatchingServices,
  message: LeasedMessage,
  awaitTurn?: () => Promise<unknown>,
): Promise<DispatchOutcome> {
  let calledAfterMs: number | undefined;
  const onCall = (): void => {
    calledAfterMs = Math.max(Date.now() - message.claimedAtMs, 0);
  };
  const { receipt } = message.isAgentPaused
    ? { receipt: agentPaused }
    : await sendClaimedMessage(services, message, { bypassLimit: true, onCall, awaitTurn });
  if (receipt === null) {
    wakeDispatcher();
    return "deferred";
  }
  const { instanceId, messageId, claimToken, sealedProviderConfig } = message;
  await recordOutcome(services, {
    ...{ instanceId, messageId, claimToken },
    ...{ receipt, sealedProviderConfig, calledAfterMs },
  });
  return receipt.outcome;
}

/** Claims and sends at most `maxMessages` messages that are due now. */
export async function dispatchDueMessages(
  services: DispatchingServices,
  maxMessages: number,
): Promise<void> {
  const leaseSeconds = toLeaseSeconds(services.providerTimeoutMs);
  const { messages } = await claimDueMessages(services.database, { maxMessages, leaseSeconds });
  await Promise.all(messages.map(async (message) => {
    const outcome = await dispatchMessage(services, message);
    await markReadAfterReply(services, { ...message, outcome });
  }));
}

/** Sends a message as it is stored, once; with a ladder as that decides now. Never throws. */
export async function sendClaimedMessage(
  services: DispatchingServices,
  message: Omit<LeasedMessage, "claimedAtMs">,
  options: Omit<ClaimedCall, "leaseEndsAtMs">,
): Promise<Departure> {
  if (message.isContactBlocked) return { receipt: contactBlocked };
  if (message.isOptedOut) return { receipt: contactOptedOut };
  const prepared = await prepareMessage(services, message);
  if ("outcome" in prepared) return { receipt: prepared };
  const { provider, outbound } = prepared;
  const { leaseEndsAtMs, file } = message;
  const ready = { provider, outbound, file, hasWaited: true };
  if (message.hasLadder) {
    return await sendByLadder(
      services,
      message,
      null,
      (rung, endsAtMs) => sendRung(services, ready, rung, { ...options, leaseEndsAtMs: endsAtMs }),
    );
  }
  return { receipt: await sendReady(services, ready, { ...options, leaseEndsAtMs }) };
}

/** Sends a message once, as the rung says. Never throws. */
export async function sendRung(
  services: DispatchingServices,
  ready: ReadyMessage,
  rung: RungToSend,
  call: ClaimedCall,
): Promise<Receipt> {
  const outbound = toRungMessage(ready.outbound, rung);
  const file = rung.template === null ? ready.file : rung.file;
  return await sendReady(services, { ...ready, outbound, file }, call);
}

/** A message that is ready to leave, and its file of ours. */
export interface ReadyMessage extends LeavingFile {
  readonly outbound: OutboundMessage;
}

/** Sends a message once; before it, its file where the channel takes files. Never throws. */
export async function sendReady(
  services: DispatchingServices,
  { outbound, ...leaving }: ReadyMessage,
  call: ClaimedCall,
): Promise<Receipt> {
  return await sendFile(
    services,
    leaving,
    (uploadId) => callProvider(services, leaving.provider, { ...outbound, uploadId }, call),
  );
}

/** Limits of one provider call. */
export interface ClaimedCall {
  /** See `SendOptions`. */
  readonly bypassLimit: boolean;
  /** By the wall clock, which keeps running while a machine is suspended. */
  readonly leaseEndsAtMs: number;
  /** Called when the provider's call begins, from which the instance's next interval counts. */
  readonly onCall?: () => void;
  /** Awaited when the message is ready, just before its call. */
  readonly awaitTurn?: (() => Promise<unknown>) | undefined;
}

/**
 * Calls a provider once. Does not call it if the claim could end before the call does, because another
 * worker may then have the message. A defect in a provider's code counts as an unknown outcome.
 */
export async function callProvider(
  services: DispatchingServices,
  provider: Provider,
  outbound: OutboundMessage,
  { bypassLimit, leaseEndsAtMs, onCall = () => {}, awaitTurn }: ClaimedCall,
): Promise<Receipt> {
  const { messageId } = outbound;
  await awaitTurn?.();
  const latestEndMs = Date.now() + services.providerTimeoutMs + (outbound.delayTypingMs ?? 0);
  if (latestEndMs > leaseEndsAtMs) {
    services.log.error("claim_expired", { messageId, remainingMs: leaseEndsAtMs - Date.now() });
    return claimTooOld;
  }
  onCall();
  try {
    const leaving = { ...outbound, content: toLeavingContent(outbound.content) };
    return await provider.send(leaving, { timeoutMs: services.providerTimeoutMs, bypassLimit });
  } catch (error) {
    services.log.error("provider_call_crashed", { messageId, ...describeDefect(error) });
    return { outcome: "unknown", reason: "an internal error during the provider call" };
  }
}

interface PreparedMessage {
  readonly provider: Provider;
  readonly outbound: OutboundMessage;
}

/** Everything that can fail before the provider is called: the message has certainly not left. */
async function prepareMessage(
  services: DispatchingServices,
  message: ClaimedMessage,
): Promise<PreparedMessage | Receipt> {
  try {
    const provider = await services.openProvider(message);
    const { messageId, to, delayTypingMs, file, quotedProviderMessageId, quotedIsOurs } = message;
    const content = readStoredContent(
      file === null
        ? message
        : { ...message, content: linkContent(message.content, file, services.files.links) },
    );
    return {
      provider,
      outbound: {
        ...{ messageId, to, content },
        delayTypingMs: delayTypingMs ?? undefined,
        quotedProviderMessageId: quotedProviderMessageId ?? undefined,
        quotedIsOurs: quotedIsOurs ?? undefined,
      },
    };
  } catch (error) {
    services.log.error("message_preparation_failed", {
      messageId: message.messageId,
      instanceId: message.instanceId,
      ...describeDefect(error),
    });
    return notPrepared;
  }
}

const contactBlocked: Receipt = {
  outcome: "rejected",
  code: "contact_blocked",
  message: "The contact was blocked while the message was queued.",
  retryable: false,
  scope: "message",
};

const contactOptedOut: Receipt = {
  outcome: "rejected",
  code: "contact_opted_out",
  message: "The contact denied marketing messages while the message was queued.",
  retryable: false,
  scope: "message",
};

const agentPaused: Receipt = {
  outcome: "rejected",
  code: "agent_paused",
  message:
    "A person sent a message while the agent's message was queued, so the agent's is not sent.",
  retryable: false,
  scope: "message",
};

const claimTooOld: Receipt = {
  outcome: "rejected",
  code: "claim_too_old",
  message: "The claim on the message was about to expire before the provider was called.",
  retryable: true,
  scope: "message",
  isUnsent: true,
};

const notPrepared: Receipt = {
  outcome: "rejected",
  code: "not_prepared",
  message: "The message could not be prepared: the instance's credentials cannot be decrypted.",
  retryable: true,
  scope: "instance",
  isOutage: true,
};
