import type { Database } from "../database/database.ts";
import type {
  ClaimedGroup,
  ClaimedMessage,
  ClaimedMessages,
  ClaimLimits,
  GroupLimits,
} from "../database/rpcs/queue.ts";

/**
 * A claimed message with times of its claim by this process' wall clock, which keeps running while a machine
 * is suspended. None is later than the true one.
 */
export interface LeasedMessage extends ClaimedMessage {
  readonly claimedAtMs: number;
  readonly leaseEndsAtMs: number;
}

/** The result of one read of the queue. */
export type ClaimResult = Omit<ClaimedMessages, "messages"> & {
  readonly messages: readonly LeasedMessage[];
};

/** A message of a group, and how long after the claim its own call is to begin. */
export interface DepartingMessage extends LeasedMessage {
  readonly departsInMs: number;
}

/** What one claim has taken of an instance with a pace, in the order of the departures. */
export type GroupResult = Pick<ClaimedGroup, "messagesPerSecond" | "feedsBatches"> & {
  readonly messages: readonly DepartingMessage[];
};

/**
 * How long a claim lasts for a provider call of `providerTimeoutMs`: time for the call, for the typing
 * that the provider shows first, and for recording the outcome.
 */
export function toLeaseSeconds(providerTimeoutMs: number, delayTypingMs = 0): number {
  return Math.ceil((providerTimeoutMs + delayTypingMs) / 1_000) + recordingSeconds;
}

const recordingSeconds = 15;

/** Claims at most `maxMessages` due messages. */
export async function claimDueMessages(
  database: Database,
  limits: ClaimLimits,
): Promise<ClaimResult> {
  // Read before the call, so that no lease ends sooner however long the answer takes.
  const claimedAtMs = Date.now();
  const leaseEndsAtMs = claimedAtMs + limits.leaseSeconds * 1_000;
  const claimed = await database.rpc("claim_due_messages", limits);
  const messages = claimed.messages.map((message) => ({
    ...message,
    claimedAtMs,
    leaseEndsAtMs: leaseEndsAtMs + (message.delayTypingMs ?? 0),
  }));
  return { ...claimed, messages };
}

/** Claims what leaves next of an instance with a pace. */
export async function claimMessageGroup(
  database: Database,
  limits: GroupLimits,
): Promise<GroupResult> {
  const claimedAtMs = Date.now();
  const { departuresInMs, ...group } = await database.rpc("claim_message_group", limits);
  const messages = group.messages.map((message) => {
    const departsInMs = departuresInMs[message.messageId] ?? 0;
    const leaseMs = departsInMs + limits.leaseSeconds * 1_000 + (message.delayTypingMs ?? 0);
    return { ...message, claimedAtMs, leaseEndsAtMs: claimedAtMs + leaseMs, departsInMs };
  });
  return { ...group, messages: messages.sort((a, b) => a.departsInMs - b.departsInMs) };
}
