import type { Database } from "../database/database.ts";
import type { ClaimedMessage, ClaimedMessages, ClaimLimits } from "../database/rpcs/queue.ts";

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
