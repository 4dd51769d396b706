import type { Database } from "../database/database.ts";
import type { ProviderKind } from "../model/provider_kind.ts";
import type { StoredContent } from "../model/message_content.ts";

/** A due message in this worker's hands until its lease ends; see `claim_due_messages`. */
export interface ClaimedMessage extends StoredContent {
  readonly messageId: string;
  readonly claimToken: string;
  readonly instanceId: string;
  readonly provider: ProviderKind;
  readonly sealedProviderConfig: string;
  readonly isContactBlocked: boolean;
  /** An agent's unpaced message (an answer) whose agent is paused for the contact by now. */
  readonly isAgentPaused: boolean;
  readonly to: string;
  readonly delayTypingMs: number | null;
}

/** The same with the end of its lease by this process' wall clock, never later than the true one. */
export interface LeasedMessage extends ClaimedMessage {
  readonly leaseEndsAtMs: number;
}

/** What one look at the queue gave, and how long nothing more will come of another one. */
export interface ClaimResult {
  readonly messages: readonly LeasedMessage[];
  /** In how long something is due that was not handed out; null for nothing known. */
  readonly nextDueInMs: number | null;
  readonly isOutboxDue: boolean;
}

/**
 * How long a claim lasts for a provider call of `providerTimeoutMs`: room for the call, for what
 * the provider adds to it by showing that somebody types, and for recording the outcome.
 */
export function toLeaseSeconds(providerTimeoutMs: number, delayTypingMs = 0): number {
  return Math.ceil((providerTimeoutMs + delayTypingMs) / 1_000) + recordingSeconds;
}

const recordingSeconds = 15;

/** Claims at most `maxMessages` due messages. */
export async function claimDueMessages(
  database: Database,
  limits: { readonly maxMessages: number; readonly leaseSeconds: number },
): Promise<ClaimResult> {
  // Read before the call: however long the answer takes, no lease ends sooner.
  const leaseEndsAtMs = Date.now() + limits.leaseSeconds * 1_000;
  const claimed = await database.rpc<
    Omit<ClaimResult, "messages"> & { readonly messages: readonly ClaimedMessage[] }
  >("claim_due_messages", { ...limits });
  const messages = claimed.messages.map((message) => ({
    ...message,
    leaseEndsAtMs: leaseEndsAtMs + (message.delayTypingMs ?? 0),
  }));
  return { ...claimed, messages };
}
