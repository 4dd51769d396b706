/** The answers to a sending call, the first one and a repeated one. Pure functions of what is recorded. */
import type { AcceptedOutcome, Replay, StandingMessage } from "../database/rpcs/messages.ts";
import type { Recorded } from "../idempotency/recorded_call.ts";
import { readResponse, type StoredResponse } from "../idempotency/stored_response.ts";
import { readHold } from "../model/hold.ts";
import type { ShownLadder } from "../model/outside_window.ts";
import type { Receipt } from "../providers/provider.ts";

/**
 * Builds the answer to a sending call. A pure function of the recorded outcome and, for an
 * immediate send, the provider's receipt. So the same outcome always gives the same answer.
 */
export type RespondToSending<Body extends object> = (
  outcome: AcceptedOutcome,
  receipt: Receipt | null,
) => StoredResponse<Body>;

/** The answer to a sending call, and whether it repeats the answer of an earlier call. */
export interface SendingAnswer<Body extends object> extends Recorded<StoredResponse<Body>> {
  /** The provider's `Retry-After`, if its refusal may be retried. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The answer to a repeated call: the first answer if it is still valid, else the message's present
 * state.
 */
export function answerReplay<Body extends object>(
  replay: Replay,
  respond: RespondToSending<Body>,
): SendingAnswer<Body> {
  return { outcome: respondToReplay(replay, respond), isReplay: true };
}

function respondToReplay<Body extends object>(
  { outcome, response, message }: Replay,
  respond: RespondToSending<Body>,
): StoredResponse<Body> {
  if (response !== null) return readResponse(response);
  if (message === null) return respond(outcome, outcome.mode === "sent" ? neverRecorded : null);
  const { status, scheduledFor, heldBy } = message;
  const waiting = { status, scheduledFor, heldBy, ...readHold(message) };
  const standing = withLadder(outcome, message);
  const mode = outcome.mode === "sent" ? "scheduled" : outcome.mode;
  // A queued message belongs to the dispatcher by now; a canceled or expired one ended there.
  return status === "queued" || status === "canceled" || status === "expired"
    ? respond({ ...standing, mode, ...waiting }, null)
    : respond({ ...standing, status }, toReceipt(message));
}

/** An outcome with what its ladder has come to since; without a ladder as it is. */
export function withLadder(
  outcome: AcceptedOutcome,
  shown: ShownLadder | undefined,
): AcceptedOutcome {
  if (shown?.sentAs === undefined) return outcome;
  const { sentAs, template, invitationId } = shown;
  return { ...outcome, sentAs, template, invitationId };
}

/** The receipt of a message of which no attempt has recorded an outcome. */
export const neverRecorded: Receipt = {
  outcome: "unknown",
  reason: "the outcome was never recorded",
};

/** The recorded outcome of a message for which a provider was called. */
function toReceipt(
  { status, providerMessageId, lastError, isRetryable }: StandingMessage,
): Receipt {
  switch (status) {
    case "sent":
    case "delivered":
    case "read":
      return { outcome: "accepted", providerMessageId: providerMessageId ?? "" };
    case "failed":
      return {
        outcome: "rejected",
        code: lastError?.code ?? "unknown",
        message: lastError?.message ?? "",
        retryable: isRetryable,
        scope: "message",
      };
    default:
      return lastError === null || status !== "unconfirmed"
        ? neverRecorded
        : { outcome: "unknown", reason: lastError.message };
  }
}
