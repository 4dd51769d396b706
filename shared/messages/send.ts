import type { RunAfterResponse } from "../runtime/background.ts";
import {
  dispatchDueMessages,
  type DispatchingServices,
  sendClaimedMessage,
  sendReady,
  sendRung,
} from "./dispatch.ts";
import type { Recorded } from "../idempotency/recorded_call.ts";
import { readResponse, type StoredResponse } from "../idempotency/stored_response.ts";
import { AppError } from "../model/errors.ts";
import { readHold } from "../model/hold.ts";
import type { Instance, SealedInstance } from "../model/instance.ts";
import { acceptMessage, type AcceptRequest, type MessageDraft } from "./accept.ts";
import type {
  AcceptedOutcome,
  ImmediateClaim,
  Replay,
  StandingMessage,
} from "../database/rpcs/messages.ts";
import type { ShownLadder } from "../model/outside_window.ts";
import type { Provider, Receipt } from "../providers/provider.ts";
import { type Departure, readDecidedRung, sendByLadder } from "./climb.ts";
import { markReadAfterReply } from "./read_receipts.ts";
import { type KeptResponse, recordOutcome, type Settlement } from "./settle.ts";
import { wakeDispatcherFor } from "./wake_up.ts";

/** Services that sending requires. */
export interface SendingServices extends DispatchingServices {
  readonly runAfterResponse: RunAfterResponse;
}

/**
 * Builds the answer to a sending call. A pure function of the recorded outcome and, for an
 * immediate send, the provider's receipt. So the same outcome always gives the same answer.
 */
export type RespondToSending<Body extends object> = (
  outcome: AcceptedOutcome,
  receipt: Receipt | null,
) => StoredResponse<Body>;

/** The instance that a call sends through; `provider` is null if there is nothing to send. */
export interface SendingChannel {
  readonly instance: SealedInstance & Pick<Instance, "readReceipts">;
  readonly provider: Provider | null;
}

/** The answer to a sending call, and whether it repeats the answer of an earlier call. */
export interface SendingAnswer<Body extends object> extends Recorded<StoredResponse<Body>> {
  /** The provider's `Retry-After`, if its refusal may be retried. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Records a call before any provider is called. For an immediate send, it then calls the provider
 * once and records the outcome together with the answer: three round trips, authentication
 * included. If an earlier attempt of the same call was refused temporarily, it attempts the same
 * message again.
 */
export async function executeSending<Body extends object>(
  services: SendingServices,
  { instance, provider }: SendingChannel,
  request: Omit<AcceptRequest, "instanceId">,
  respond: RespondToSending<Body>,
): Promise<SendingAnswer<Body>> {
  const draft = provider === null ? request.draft : withShownTyping(request.draft, provider);
  const { instanceId, sealedProviderConfig, readReceipts } = instance;
  // Taken before the database call, so that the computed end of the lease is never later than the
  // real one.
  const leaseEndsAtMs = Date.now() + (request.delivery?.leaseSeconds ?? 0) * 1_000;
  const accepted = await acceptMessage(services.database, { ...request, instanceId, draft });
  if ("replayed" in accepted) return answerReplay(accepted.replayed, respond);
  const { idempotency } = request;
  if ("attempted" in accepted) {
    const { outcome, message } = accepted.attempted;
    const leased = { ...message, leaseEndsAtMs };
    const departure = await sendClaimedMessage(services, leased, { bypassLimit: false });
    const { receipt } = departure;
    const standing = withLadder(outcome, departure.shown);
    if (receipt === null) return answerWaiting(services, standing, departure, respond);
    const settled = await settleSending(services, { ...message, receipt }, {
      idempotency,
      response: respond(standing, receipt),
    });
    markReadInBackground(services, { ...message, readReceipts, outcome: receipt.outcome });
    return settled;
  }
  const claim = readClaim(accepted);
  dispatchInBackground(services, accepted);
  if (claim === null || draft === null || provider === null) {
    return { outcome: respond(accepted, null), isReplay: false };
  }
  const { messageId, claimToken, to } = claim;
  const { content, delayTypingMs, file = null } = draft;
  const { quotedProviderMessageId, quotedIsOurs } = accepted;
  const quoted = { quotedProviderMessageId, quotedIsOurs };
  const outbound = { messageId, to, content, delayTypingMs, ...quoted };
  const call = { bypassLimit: false, leaseEndsAtMs };
  const ready = { provider, outbound, file, hasWaited: false };
  const { ladder } = draft;
  const departure: Departure = ladder === undefined
    ? { receipt: await sendReady(services, ready, call) }
    : await sendByLadder(
      services,
      { instanceId, messageId, claimToken, leaseEndsAtMs },
      readDecidedRung(accepted, ladder, draft.headerFiles),
      (rung, endsAtMs) => sendRung(services, ready, rung, { ...call, leaseEndsAtMs: endsAtMs }),
    );
  const { receipt } = departure;
  const standing = withLadder(accepted, departure.shown);
  if (receipt === null) return answerWaiting(services, standing, departure, respond);
  const settlement = { instanceId, messageId, claimToken, receipt, sealedProviderConfig };
  const settled = await settleSending(services, settlement, {
    idempotency,
    response: respond(standing, receipt),
  });
  markReadInBackground(services, { ...settlement, readReceipts, outcome: receipt.outcome });
  return settled;
}

/** Marks what the person wrote before as read, where the setting says so: no answer waits for it. */
function markReadInBackground(
  services: SendingServices,
  sent: Parameters<typeof markReadAfterReply>[1],
): void {
  if (sent.readReceipts !== "on_reply" || sent.outcome !== "accepted") return;
  services.runAfterResponse(() => markReadAfterReply(services, sent));
}

/** Records the outcome of an immediate send and answers with it. */
async function settleSending<Body extends object>(
  services: SendingServices,
  settlement: Settlement,
  kept: KeptResponse<Body>,
): Promise<SendingAnswer<Body>> {
  const { receipt } = settlement;
  await recordOutcome(services, settlement, kept);
  const isRefusedForNow = receipt.outcome === "rejected" && receipt.retryable;
  return {
    outcome: kept.response,
    isReplay: false,
    retryAfterMs: isRefusedForNow ? receipt.retryAfterMs : undefined,
  };
}

/** An outcome with what its ladder has come to since; without a ladder as it is. */
function withLadder(outcome: AcceptedOutcome, shown: ShownLadder | undefined): AcceptedOutcome {
  if (shown?.sentAs === undefined) return outcome;
  const { sentAs, template, invitationId } = shown;
  return { ...outcome, sentAs, template, invitationId };
}

/** The answer to an immediate send whose message waits for its contact's answer by now, or was lost. */
function answerWaiting<Body extends object>(
  services: SendingServices,
  outcome: AcceptedOutcome,
  { isWaiting }: Departure,
  respond: RespondToSending<Body>,
): SendingAnswer<Body> {
  if (isWaiting !== true) return { outcome: respond(outcome, neverRecorded), isReplay: false };
  services.runAfterResponse(() => dispatchDueMessages(services, 1));
  const waiting = { mode: "scheduled", status: "queued", heldBy: "awaiting_reply" } as const;
  return {
    outcome: respond({ ...outcome, ...waiting, scheduledFor: null }, null),
    isReplay: false,
  };
}

/** Limits the typing to what the channel shows: pacing and the send window count from its end. */
function withShownTyping(draft: MessageDraft | null, provider: Provider): MessageDraft | null {
  if (draft?.delayTypingMs === undefined) return draft;
  return { ...draft, delayTypingMs: provider.limitTypingMs(draft.delayTypingMs, draft.content) };
}

interface Claim {
  readonly messageId: string;
  readonly claimToken: string;
  readonly to: string;
}

/**
 * @throws {AppError} `service_unavailable` for an answer that `accept_message` never gives. It does
 * not come from our database, so no provider is called.
 */
function readClaim(accepted: AcceptedOutcome & ImmediateClaim): Claim | null {
  const { messageId, claimToken, to } = accepted;
  if ([messageId, claimToken, to].some((part) => part !== null && typeof part !== "string")) {
    throw new AppError("service_unavailable");
  }
  return messageId === null || claimToken === null || to === null
    ? null
    : { messageId, claimToken, to };
}

/**
 * Starts the dispatcher in the background for a message that is due now, or the invitation that it waits for, and wakes the dispatcher of
 * this process for one that is due soon. If this fails, a later poll of the dispatcher finds the
 * message, which is already stored.
 */
function dispatchInBackground(services: SendingServices, accepted: AcceptedOutcome): void {
  const { mode, heldBy, scheduledFor } = accepted;
  const isDue = mode === "queued" && heldBy === null || heldBy === "awaiting_reply";
  if (isDue) {
    services.runAfterResponse(() => dispatchDueMessages(services, 1));
  } else if (mode === "queued" || mode === "scheduled") wakeDispatcherFor(scheduledFor);
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

const neverRecorded: Receipt = { outcome: "unknown", reason: "the outcome was never recorded" };

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
