import type { Database } from "../database/database.ts";
import type { OpenProvider } from "../providers/open_provider.ts";
import { describeDefect, type Log } from "../runtime/log.ts";
import { readStoredContent } from "../model/message_content.ts";
import type { OutboundMessage, Provider, Receipt } from "../providers/provider.ts";
import { claimDueMessages, type LeasedMessage, toLeaseSeconds } from "./claim.ts";
import type { ClaimedMessage } from "../database/rpcs/queue.ts";
import { type LeavingFile, linkContent, type MessageFiles, sendFile } from "./message_file.ts";
import { recordOutcome } from "./settle.ts";

/** Services that dispatching uses. */
export interface DispatchingServices {
  readonly database: Database;
  readonly openProvider: OpenProvider;
  readonly providerTimeoutMs: number;
  /** Where the files of messages are. */
  readonly files: MessageFiles;
  readonly log: Log;
}

/**
 * Sends one claimed message and records the outcome. Never throws: the claim is settled, or its lease
 * ends.
 */
export async function dispatchMessage(
  services: DispatchingServices,
  message: LeasedMessage,
): Promise<Receipt["outcome"]> {
  let calledAfterMs: number | undefined;
  const onCall = (): void => {
    calledAfterMs = Math.max(Date.now() - message.claimedAtMs, 0);
  };
  const receipt = message.isAgentPaused
    ? agentPaused
    : await sendClaimedMessage(services, message, { bypassLimit: true, onCall });
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
  await Promise.all(messages.map((message) => dispatchMessage(services, message)));
}

/** Sends a message as it is stored, once. Never throws. */
export async function sendClaimedMessage(
  services: DispatchingServices,
  message: Omit<LeasedMessage, "claimedAtMs">,
  options: Omit<ClaimedCall, "leaseEndsAtMs">,
): Promise<Receipt> {
  if (message.isContactBlocked) return contactBlocked;
  if (message.isOptedOut) return contactOptedOut;
  const prepared = await prepareMessage(services, message);
  if ("outcome" in prepared) return prepared;
  const { provider, outbound } = prepared;
  const { leaseEndsAtMs, file } = message;
  const ready = { provider, outbound, file, hasWaited: true };
  return await sendReady(services, ready, { ...options, leaseEndsAtMs });
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
}

/**
 * Calls a provider once. Does not call it if the claim could end before the call does, because another
 * worker may then have the message. A defect in a provider's code counts as an unknown outcome.
 */
export async function callProvider(
  services: DispatchingServices,
  provider: Provider,
  outbound: OutboundMessage,
  { bypassLimit, leaseEndsAtMs, onCall = () => {} }: ClaimedCall,
): Promise<Receipt> {
  const { messageId } = outbound;
  const latestEndMs = Date.now() + services.providerTimeoutMs + (outbound.delayTypingMs ?? 0);
  if (latestEndMs > leaseEndsAtMs) {
    services.log.error("claim_expired", { messageId, remainingMs: leaseEndsAtMs - Date.now() });
    return claimTooOld;
  }
  onCall();
  try {
    return await provider.send(outbound, { timeoutMs: services.providerTimeoutMs, bypassLimit });
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
    const { messageId, to, delayTypingMs, file } = message;
    const content = readStoredContent(
      file === null
        ? message
        : { ...message, content: linkContent(message.content, file, services.files.links) },
    );
    return {
      provider,
      outbound: { messageId, to, content, delayTypingMs: delayTypingMs ?? undefined },
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
