import { AppError } from "../model/errors.ts";
import type { Instance, SealedInstance } from "../model/instance.ts";
import type { ReadReceipts } from "../model/read_receipts.ts";
import type { Idempotency } from "../database/rpcs/idempotency.ts";
import type { AcceptedOutcome, Attempt, ImmediateClaim } from "../database/rpcs/messages.ts";
import type { Provider, Receipt } from "../providers/provider.ts";
import type { RunAfterResponse } from "../runtime/background.ts";
import { acceptMessage, type AcceptRequest, type MessageDraft } from "./accept.ts";
import { attemptMessage, type ReadyMessage } from "./attempt.ts";
import { dispatchDueMessages, type DispatchingServices, prepareMessage } from "./dispatch.ts";
import { markReadAfterReply } from "./read_receipts.ts";
import { messageItself, readDecidedRung } from "./rungs.ts";
import {
  answerReplay,
  neverRecorded,
  type RespondToSending,
  type SendingAnswer,
  withLadder,
} from "./sending_answer.ts";
import { recordOutcome, type Settlement } from "./settle.ts";
import { wakeDispatcherFor } from "./wake_up.ts";

/** Services that sending requires. */
export interface SendingServices extends DispatchingServices {
  readonly runAfterResponse: RunAfterResponse;
}

/** The instance that a call sends through; `provider` is null if there is nothing to send. */
export interface SendingChannel {
  readonly instance: SealedInstance & Pick<Instance, "readReceipts">;
  readonly provider: Provider | null;
}

/**
 * Records a call before any provider is called. For an immediate send, it then calls the provider
 * once and records the outcome together with the answer: three round trips, authentication
 * included. If an earlier attempt of the same call was refused temporarily, it attempts the same
 * message again.
 */
export async function executeSending<Body extends object>(
  services: SendingServices,
  channel: SendingChannel,
  request: Omit<AcceptRequest, "instanceId">,
  respond: RespondToSending<Body>,
): Promise<SendingAnswer<Body>> {
  const { instance: { instanceId }, provider } = channel;
  const draft = provider === null ? request.draft : withShownTyping(request.draft, provider);
  // Taken before the database call, so that the computed end of the lease is never later than the
  // real one.
  const leaseEndsAtMs = Date.now() + (request.delivery?.leaseSeconds ?? 0) * 1_000;
  const accepted = await acceptMessage(services.database, { ...request, instanceId, draft });
  if ("replayed" in accepted) return answerReplay(accepted.replayed, respond);
  const { outcome, attempt } = "attempted" in accepted
    ? await prepareRetry(services, accepted.attempted, leaseEndsAtMs)
    : prepareFirstSend(channel, accepted, draft, leaseEndsAtMs);
  if (attempt !== null) {
    const kept = { idempotency: request.idempotency, respond };
    return await sendNow(services, outcome, attempt, kept);
  }
  dispatchInBackground(services, outcome);
  return { outcome: respond(outcome, null), isReplay: false };
}

/** A recorded call. */
interface RecordedSend {
  readonly outcome: AcceptedOutcome;
  /** Null where the call sends nothing now. */
  readonly attempt: ImmediateAttempt | null;
}

/** The message that a call sends now, with what settling it needs. */
interface ImmediateAttempt extends Omit<Settlement, "receipt"> {
  readonly message: ReadyMessage | Receipt;
  readonly readReceipts: ReadReceipts;
}

/** The message of an earlier call, as it is stored. */
async function prepareRetry(
  services: SendingServices,
  { outcome, message: claimed }: Attempt,
  leaseEndsAtMs: number,
): Promise<RecordedSend> {
  const { instanceId, messageId, claimToken, sealedProviderConfig, readReceipts } = claimed;
  const message = await prepareMessage(services, { ...claimed, leaseEndsAtMs });
  const claim = { instanceId, messageId, claimToken };
  return { outcome, attempt: { ...claim, sealedProviderConfig, readReceipts, message } };
}

/** The message of this call, whose provider is open. */
function prepareFirstSend(
  { instance, provider }: SendingChannel,
  accepted: AcceptedOutcome & ImmediateClaim,
  draft: MessageDraft | null,
  leaseEndsAtMs: number,
): RecordedSend {
  const claimed = readClaim(accepted);
  if (claimed === null || draft === null || provider === null) {
    return { outcome: accepted, attempt: null };
  }
  const { instanceId, sealedProviderConfig, readReceipts } = instance;
  const { messageId, claimToken, to } = claimed;
  const claim = { instanceId, messageId, claimToken };
  const { content, delayTypingMs, file = null, ladder, headerFiles } = draft;
  const { quotedProviderMessageId, quotedIsOurs } = accepted;
  const message: ReadyMessage = {
    claim: { ...claim, leaseEndsAtMs },
    outbound: { messageId, to, content, delayTypingMs, quotedProviderMessageId, quotedIsOurs },
    ...{ provider, file, hasWaited: false },
    hasLadder: ladder !== undefined,
    firstRung: ladder === undefined
      ? messageItself
      : readDecidedRung(accepted, ladder, headerFiles),
  };
  return { outcome: accepted, attempt: { ...claim, sealedProviderConfig, readReceipts, message } };
}

/** Attempts the message once, records the outcome together with the answer, and answers. */
async function sendNow<Body extends object>(
  services: SendingServices,
  outcome: AcceptedOutcome,
  { message, readReceipts, ...claim }: ImmediateAttempt,
  { idempotency, respond }: {
    readonly idempotency: Idempotency | null;
    readonly respond: RespondToSending<Body>;
  },
): Promise<SendingAnswer<Body>> {
  const attempted = await attemptMessage(services, message, { bypassLimit: false });
  const { receipt } = attempted;
  const standing = withLadder(outcome, attempted.shown);
  if (receipt === null) return answerUnsettled(services, standing, attempted.isWaiting, respond);
  const response = respond(standing, receipt);
  await recordOutcome(services, { ...claim, receipt }, { idempotency, response });
  markReadInBackground(services, { ...claim, readReceipts, outcome: receipt.outcome });
  const isRefusedForNow = receipt.outcome === "rejected" && receipt.retryable;
  const retryAfterMs = isRefusedForNow ? receipt.retryAfterMs : undefined;
  return { outcome: response, isReplay: false, retryAfterMs };
}

/** Marks what the person wrote before as read, where the setting says so: no answer waits for it. */
function markReadInBackground(
  services: SendingServices,
  sent: Parameters<typeof markReadAfterReply>[1],
): void {
  if (sent.readReceipts !== "on_reply" || sent.outcome !== "accepted") return;
  services.runAfterResponse(() => markReadAfterReply(services, sent));
}

/** The answer of an attempt that ended its claim: its message waits for its contact, or was lost. */
function answerUnsettled<Body extends object>(
  services: SendingServices,
  outcome: AcceptedOutcome,
  isWaiting: boolean | undefined,
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
 * Starts the dispatcher in the background for a message that is due now, or for the invitation that it
 * waits for, and wakes the dispatcher of this process for one that is due soon. If this fails, a later
 * poll of the dispatcher finds the message, which is already stored.
 */
function dispatchInBackground(services: SendingServices, accepted: AcceptedOutcome): void {
  const { mode, heldBy, scheduledFor } = accepted;
  const isDue = mode === "queued" && heldBy === null || heldBy === "awaiting_reply";
  if (isDue) {
    services.runAfterResponse(() => dispatchDueMessages(services, 1));
  } else if (mode === "queued" || mode === "scheduled") wakeDispatcherFor(scheduledFor);
}
