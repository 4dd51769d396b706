import type { RunAfterResponse } from "../runtime/background.ts";
import {
  callProvider,
  dispatchDueMessages,
  type DispatchingServices,
  sendClaimedMessage,
} from "./dispatch.ts";
import type { Recorded } from "../idempotency/recorded_call.ts";
import { readResponse, type StoredResponse } from "../idempotency/stored_response.ts";
import { AppError } from "../model/errors.ts";
import type { SealedInstance } from "../model/instance.ts";
import { acceptMessage, type AcceptRequest, type MessageDraft } from "./accept.ts";
import type {
  AcceptedOutcome,
  ImmediateClaim,
  Replay,
  StandingMessage,
} from "../database/rpcs/messages.ts";
import type { Provider, Receipt } from "../providers/provider.ts";
import { type KeptResponse, recordOutcome, type Settlement } from "./settle.ts";

/** Services that sending uses. */
export interface SendingServices extends DispatchingServices {
  readonly runAfterResponse: RunAfterResponse;
}

/**
 * The answer to a sending call: a pure function of what was recorded and, for an immediate send, of
 * the provider's receipt. So the same outcome gives the same answer again.
 */
export type RespondToSending<Body extends object> = (
  outcome: AcceptedOutcome,
  receipt: Receipt | null,
) => StoredResponse<Body>;

/** The instance that a call sends through; `provider` is null if there is nothing to send. */
export interface SendingChannel {
  readonly instance: SealedInstance;
  readonly provider: Provider | null;
}

/** The answer to a sending call, and whether it repeats an earlier call's. */
export interface SendingAnswer<Body extends object> extends Recorded<StoredResponse<Body>> {
  /** The provider's `Retry-After`, if its refusal may be retried. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Records a call before any provider is called. If it is immediate, calls the provider once and records
 * the outcome together with the answer: three round trips, authentication included. A repeated call
 * whose first attempt met a temporary refusal makes another attempt of the same message.
 */
export async function executeSending<Body extends object>(
  services: SendingServices,
  { instance, provider }: SendingChannel,
  request: Omit<AcceptRequest, "instanceId">,
  respond: RespondToSending<Body>,
): Promise<SendingAnswer<Body>> {
  const draft = provider === null ? request.draft : withShownTyping(request.draft, provider);
  const { instanceId, sealedProviderConfig } = instance;
  // Read before the call, so that the lease ends no sooner however long the answer takes.
  const leaseEndsAtMs = Date.now() + (request.delivery?.leaseSeconds ?? 0) * 1_000;
  const accepted = await acceptMessage(services.database, { ...request, instanceId, draft });
  if ("replayed" in accepted) return answerReplay(accepted.replayed, respond);
  const { idempotency } = request;
  if ("attempted" in accepted) {
    const { outcome, message } = accepted.attempted;
    const leased = { ...message, leaseEndsAtMs };
    const receipt = await sendClaimedMessage(services, leased, { bypassLimit: false });
    return await settleSending(services, { ...message, receipt }, {
      idempotency,
      response: respond(outcome, receipt),
    });
  }
  const claim = readClaim(accepted);
  dispatchInBackground(services, accepted);
  if (claim === null || draft === null || provider === null) {
    return { outcome: respond(accepted, null), isReplay: false };
  }
  const { messageId, claimToken, to } = claim;
  const { content, delayTypingMs } = draft;
  const outbound = { messageId, to, content, delayTypingMs };
  const call = { bypassLimit: false, leaseEndsAtMs };
  const receipt = await callProvider(services, provider, outbound, call);
  return await settleSending(services, { messageId, claimToken, receipt, sealedProviderConfig }, {
    idempotency,
    response: respond(accepted, receipt),
  });
}

/** Records the outcome of an immediate send and answers with it. */
async function settleSending<Body extends object>(
  services: SendingServices,
  { messageId, claimToken, receipt, sealedProviderConfig }: Settlement,
  kept: KeptResponse<Body>,
): Promise<SendingAnswer<Body>> {
  const settlement = { messageId, claimToken, receipt, sealedProviderConfig };
  await recordOutcome(services, settlement, kept);
  const isRefusedForNow = receipt.outcome === "rejected" && receipt.retryable;
  return {
    outcome: kept.response,
    isReplay: false,
    retryAfterMs: isRefusedForNow ? receipt.retryAfterMs : undefined,
  };
}

/** With the typing limited to what the channel shows: pace and window count from its end. */
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
 * @throws {AppError} `service_unavailable` for what `accept_message` never answers: whoever did knows
 * nothing of a message, and no provider is called on such word.
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

/** If this fails, the dispatcher sends the message: it is a stored row already. */
function dispatchInBackground(services: SendingServices, accepted: AcceptedOutcome): void {
  const isDueNow = accepted.mode === "queued" && accepted.heldBy === null;
  if (isDueNow) services.runAfterResponse(() => dispatchDueMessages(services, 1));
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
  const mode = outcome.mode === "sent" ? "scheduled" : outcome.mode;
  // A message that waits belongs to the dispatcher by now, or was canceled there.
  return status === "queued" || status === "canceled"
    ? respond({ ...outcome, mode, status, scheduledFor, heldBy }, null)
    : respond({ ...outcome, status }, toReceipt(message));
}

const neverRecorded: Receipt = { outcome: "unknown", reason: "the outcome was never recorded" };

/** The known outcome of a message that a provider was called for. */
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
