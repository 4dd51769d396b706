import type { RunAfterResponse } from "./background.ts";
import { callProvider, dispatchDueMessages, type DispatchingServices } from "./dispatching.ts";
import { readResponse, type StoredResponse } from "./idempotent_response.ts";
import { againInASecond, AppError } from "./errors.ts";
import type { SealedInstance } from "./instances.ts";
import {
  type AcceptedOutcome,
  acceptMessage,
  type AcceptRequest,
  type AcceptResult,
  type MessageDraft,
  type Replay,
} from "./messages.ts";
import type { Provider, Receipt } from "./providers/provider.ts";
import { recordOutcome } from "./settling.ts";

/** What sending needs of the world. */
export interface SendingServices extends DispatchingServices {
  readonly runAfterResponse: RunAfterResponse;
}

/**
 * The answer to a sending call: a pure function of what was recorded and, for an immediate send, of
 * the provider's receipt. So the same outcome gives the same answer again.
 */
export type RespondToSending = (
  outcome: AcceptedOutcome,
  receipt: Receipt | null,
) => StoredResponse;

/** The instance that a call sends through; `provider` is null where there is nothing to send. */
export interface SendingChannel {
  readonly instance: SealedInstance;
  readonly provider: Provider | null;
}

/** What a sending call is answered with; `isReplay` where an earlier call decided it. */
export interface SendingAnswer {
  readonly response: StoredResponse;
  readonly isReplay: boolean;
}

/**
 * Records a call, then sends it if it goes at once: recorded before any provider is called, called
 * once, and the outcome recorded together with the answer. Three round trips with authentication.
 */
export async function executeSending(
  services: SendingServices,
  { instance, provider }: SendingChannel,
  request: Omit<AcceptRequest, "instanceId">,
  respond: RespondToSending,
): Promise<SendingAnswer> {
  const draft = provider === null ? request.draft : withShownTyping(request.draft, provider);
  const { instanceId, sealedProviderConfig } = instance;
  const accepted = await acceptMessage(services.database, { ...request, instanceId, draft });
  if ("replayed" in accepted) {
    return { response: respondToReplay(accepted.replayed, respond), isReplay: true };
  }
  const claim = readClaim(accepted);
  hurryAfterResponse(services, accepted);
  if (claim === null || draft === null || provider === null) {
    return { response: respond(accepted, null), isReplay: false };
  }
  const { messageId, claimToken, to } = claim;
  const { content, delayTypingMs } = draft;
  const outbound = { messageId, to, content, delayTypingMs };
  const receipt = await callProvider(services, provider, outbound);
  const response = respond(accepted, receipt);
  await recordOutcome(
    services,
    { messageId, claimToken, receipt, sealedProviderConfig },
    { idempotency: request.idempotency, response },
  );
  return { response, isReplay: false };
}

/** With the typing that the channel will show: pace and window count from its end. */
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
function readClaim(accepted: Exclude<AcceptResult, { replayed: Replay }>): Claim | null {
  const { messageId, claimToken, to } = accepted;
  if ([messageId, claimToken, to].some((part) => part !== null && typeof part !== "string")) {
    throw new AppError("service_unavailable", againInASecond);
  }
  return messageId === null || claimToken === null || to === null
    ? null
    : { messageId, claimToken, to };
}

/** It is a stored row already; the dispatcher takes it up if this does not. */
function hurryAfterResponse(services: SendingServices, accepted: AcceptedOutcome): void {
  const isDueNow = accepted.mode === "queued" && accepted.heldBy === null;
  if (isDueNow) services.runAfterResponse(() => dispatchDueMessages(services, 1));
}

function respondToReplay(replay: Replay, respond: RespondToSending): StoredResponse {
  if (replay.response !== null) return readResponse(replay.response);
  return respond(replay.outcome, replay.outcome.mode === "sent" ? toReceipt(replay) : null);
}

/** What is known of an immediate send whose own answer was never recorded: its process died. */
function toReceipt({ message }: Replay): Receipt {
  switch (message?.status) {
    case "sent":
    case "delivered":
    case "read":
      return { outcome: "accepted", providerMessageId: message.providerMessageId ?? "" };
    case "failed":
      return {
        outcome: "rejected",
        code: message.lastError?.code ?? "unknown",
        message: message.lastError?.message ?? "",
        retryable: false,
        scope: "message",
      };
    default:
      return { outcome: "unknown", reason: "the outcome was never recorded" };
  }
}
