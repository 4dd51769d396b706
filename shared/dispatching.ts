import type { Database } from "./database/database.ts";
import type { OpenProvider } from "./instances.ts";
import { describeDefect, type Log } from "./log.ts";
import { toMessageContent } from "./stored_content.ts";
import type { OutboundMessage, Provider, Receipt } from "./providers/provider.ts";
import { claimDueMessages, type ClaimedMessage, toLeaseSeconds } from "./queue.ts";
import { recordOutcome } from "./settling.ts";

/** What dispatching needs of the world. */
export interface DispatchingServices {
  readonly database: Database;
  readonly openProvider: OpenProvider;
  readonly providerTimeoutMs: number;
  readonly log: Log;
}

/**
 * Sends one claimed message and records what came of it. Never throws: whatever happens, the claim
 * is settled or its lease ends.
 */
export async function dispatchMessage(
  services: DispatchingServices,
  message: ClaimedMessage,
): Promise<Receipt["outcome"]> {
  const receipt = await sendMessage(services, message);
  const { messageId, claimToken, sealedProviderConfig } = message;
  await recordOutcome(services, { messageId, claimToken, receipt, sealedProviderConfig });
  return receipt.outcome;
}

/** Claims what is due right now, at most `maxMessages`, and sends it. */
export async function dispatchDueMessages(
  services: DispatchingServices,
  maxMessages: number,
): Promise<void> {
  const leaseSeconds = toLeaseSeconds(services.providerTimeoutMs);
  const { messages } = await claimDueMessages(services.database, { maxMessages, leaseSeconds });
  await Promise.all(messages.map((message) => dispatchMessage(services, message)));
}

async function sendMessage(
  services: DispatchingServices,
  message: ClaimedMessage,
): Promise<Receipt> {
  if (message.isContactBlocked) return contactBlocked;
  if (message.isAgentPaused) return agentPaused;
  const prepared = await prepareMessage(services, message);
  if ("outcome" in prepared) return prepared;
  const { provider, outbound } = prepared;
  return await callProvider(services, provider, outbound, { isOnTime: true });
}

/**
 * Calls a provider once. A defect in an adapter is an outcome too: nobody knows how far it came.
 */
export async function callProvider(
  services: DispatchingServices,
  provider: Provider,
  outbound: OutboundMessage,
  { isOnTime = false } = {},
): Promise<Receipt> {
  try {
    return await provider.send(outbound, { timeoutMs: services.providerTimeoutMs, isOnTime });
  } catch (error) {
    services.log.error("provider_defect", {
      messageId: outbound.messageId,
      ...describeDefect(error),
    });
    return { outcome: "unknown", reason: "a defect while the provider was called" };
  }
}

interface PreparedMessage {
  readonly provider: Provider;
  readonly outbound: OutboundMessage;
}

/** All that can fail before the provider is called, when a message certainly has not left. */
async function prepareMessage(
  services: DispatchingServices,
  message: ClaimedMessage,
): Promise<PreparedMessage | Receipt> {
  try {
    const provider = await services.openProvider(message);
    const { messageId, to, delayTypingMs } = message;
    const content = toMessageContent(message);
    return {
      provider,
      outbound: { messageId, to, content, delayTypingMs: delayTypingMs ?? undefined },
    };
  } catch (error) {
    services.log.error("message_not_prepared", {
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
  message: "The contact was blocked while the message waited.",
  retryable: false,
  scope: "message",
};

const agentPaused: Receipt = {
  outcome: "rejected",
  code: "agent_paused",
  message: "A person wrote while the agent's message waited: the agent steps back.",
  retryable: false,
  scope: "message",
};

const notPrepared: Receipt = {
  outcome: "rejected",
  code: "not_prepared",
  message: "The message could not be prepared: the instance's credentials do not open.",
  retryable: true,
  scope: "instance",
  isOutage: true,
};
