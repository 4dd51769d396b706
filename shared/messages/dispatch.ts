import { readStoredContent } from "../model/message_content.ts";
import type { OpenProvider } from "../providers/open_provider.ts";
import type { Receipt } from "../providers/provider.ts";
import { describeDefect } from "../runtime/log.ts";
import { attemptMessage, type AttemptServices, type ReadyMessage } from "./attempt.ts";
import { claimDueMessages, type LeasedMessage, toLeaseSeconds } from "./claim.ts";
import { linkContent } from "./message_file.ts";
import { markReadAfterReply } from "./read_receipts.ts";
import { messageItself } from "./rungs.ts";
import { recordOutcome } from "./settle.ts";
import { wakeDispatcher } from "./wake_up.ts";

/** Services that dispatching uses. */
export interface DispatchingServices extends AttemptServices {
  readonly openProvider: OpenProvider;
}

/** How a claimed message has ended; `deferred` where its ladder waits for the contact's answer. */
export type DispatchOutcome = Receipt["outcome"] | "deferred";

/**
 * Sends one claimed message and records the outcome. Never throws: the claim is settled, or its lease
 * ends.
 *
 * @param awaitTurn see `AttemptOptions`. It never rejects.
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
  const ready = message.isAgentPaused ? agentPaused : await prepareMessage(services, message);
  const options = { bypassLimit: true, onCall, awaitTurn };
  const { receipt } = await attemptMessage(services, ready, options);
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

/**
 * Makes a claimed message ready, as it is stored. Never throws.
 *
 * @returns the receipt of a message that must not be sent or cannot be prepared: it has certainly not left.
 */
export async function prepareMessage(
  services: DispatchingServices,
  message: Omit<LeasedMessage, "claimedAtMs">,
): Promise<ReadyMessage | Receipt> {
  if (message.isContactBlocked) return contactBlocked;
  if (message.isOptedOut) return contactOptedOut;
  try {
    return await openMessage(services, message);
  } catch (error) {
    services.log.error("message_preparation_failed", {
      messageId: message.messageId,
      instanceId: message.instanceId,
      ...describeDefect(error),
    });
    return notPrepared;
  }
}

async function openMessage(
  services: DispatchingServices,
  message: Omit<LeasedMessage, "claimedAtMs">,
): Promise<ReadyMessage> {
  const { instanceId, messageId, claimToken, leaseEndsAtMs, hasLadder, file } = message;
  const provider = await services.openProvider(message);
  const content = readStoredContent(
    file === null ? message : {
      ...message,
      content: linkContent(message.content, file, await services.files.loadLinks()),
    },
  );
  return {
    claim: { instanceId, messageId, claimToken, leaseEndsAtMs },
    outbound: {
      ...{ messageId, to: message.to, content },
      delayTypingMs: message.delayTypingMs ?? undefined,
      quotedProviderMessageId: message.quotedProviderMessageId ?? undefined,
      quotedIsOurs: message.quotedIsOurs ?? undefined,
    },
    ...{ provider, file, hasWaited: true },
    ...{ hasLadder, firstRung: hasLadder ? null : messageItself },
  };
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

const notPrepared: Receipt = {
  outcome: "rejected",
  code: "not_prepared",
  message: "The message could not be prepared: the instance's credentials cannot be decrypted.",
  retryable: true,
  scope: "instance",
  isOutage: true,
};
