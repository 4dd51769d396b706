/** The attempt to send a claimed message: the first send, a retry and a dispatched message all take it. */
import type { RungTaken } from "../database/rpcs/messages.ts";
import { toLeavingContent } from "../model/numbered_text.ts";
import type { ShownLadder } from "../model/outside_window.ts";
import type { OutboundMessage, Provider, Receipt } from "../providers/provider.ts";
import { describeDefect } from "../runtime/log.ts";
import { toLeaseSeconds } from "./claim.ts";
import { fallBackToText } from "./payment_fallback.ts";
import { type FileServices, type LeavingFile, sendFile } from "./message_file.ts";
import {
  readMeaningfulRefusal,
  refuseAllRungs,
  type RungToSend,
  takeRung,
  toRungMessage,
} from "./rungs.ts";

export interface AttemptServices extends FileServices {
  readonly providerTimeoutMs: number;
}

/** A worker's claim on a message. */
export interface MessageClaim {
  readonly instanceId: string;
  readonly messageId: string;
  readonly claimToken: string;
  /** By the wall clock, which keeps running while a machine is suspended. */
  readonly leaseEndsAtMs: number;
}

/** A claimed message that only its call can still refuse. */
export interface ReadyMessage extends LeavingFile {
  readonly claim: MessageClaim;
  readonly outbound: OutboundMessage;
  /** The rung to begin with; null where the database decides it now. */
  readonly firstRung: RungToSend | null;
  /** Whether another rung may follow a refusal. */
  readonly hasLadder: boolean;
}

/** Limits of the calls of one attempt. */
export interface AttemptOptions {
  /** See `SendOptions`. */
  readonly bypassLimit: boolean;
  /** Called when the provider's call begins, from which the instance's next interval counts. */
  readonly onCall?: () => void;
  /** Awaited when the message is ready, just before its call. */
  readonly awaitTurn?: (() => Promise<unknown>) | undefined;
}

/** How the attempt has ended. */
export interface AttemptResult {
  /** Null where the claim has ended: the message waits for an answer, or another worker has it. */
  readonly receipt: Receipt | null;
  /** What answers say of its ladder now; undefined where no rung was called. */
  readonly shown?: ShownLadder | undefined;
  /** Whether it waits for the answer to an invitation. */
  readonly isWaiting?: boolean | undefined;
}

/**
 * Sends a claimed message by its first rung; after a refusal that another rung can help, by the next,
 * under the same claim. Calls each rung once; a message about a payment a second time as text, where the channel
 * has refused its own form. Never throws.
 *
 * @param message or the receipt of one that could not be made ready, which is the result.
 */
export async function attemptMessage(
  services: AttemptServices,
  message: ReadyMessage | Receipt,
  options: AttemptOptions,
): Promise<AttemptResult> {
  if ("outcome" in message) return { receipt: message };
  const { instanceId, messageId, claimToken } = message.claim;
  let { leaseEndsAtMs } = message.claim;
  const leaseSeconds = toLeaseSeconds(services.providerTimeoutMs);
  const request = { instanceId, messageId, claimToken, leaseSeconds };
  let rung: RungTaken | null = message.firstRung ??
    await takeRung(services, { ...request, refusal: null });
  let receipt: Receipt | null = null;
  let shown: ShownLadder | undefined;
  for (;;) {
    if (rung === null) return { receipt: receipt ?? undecided, shown };
    if (rung.outcome !== "send") return endAttempt(rung, receipt, shown);
    shown = rung.shown;
    receipt = await sendRung(services, message, rung, { ...options, leaseEndsAtMs });
    const asText: OutboundMessage | null = rung.template !== null
      ? null
      : await fallBackToText(services, request, message.outbound, receipt);
    if (asText !== null) {
      message = { ...message, outbound: asText };
      leaseEndsAtMs = Date.now() + leaseSeconds * 1_000;
      continue;
    }
    const refusal = message.hasLadder ? readMeaningfulRefusal(receipt) : null;
    if (refusal === null) return { receipt, shown };
    leaseEndsAtMs = Date.now() + leaseSeconds * 1_000;
    rung = await takeRung(services, { ...request, refusal });
  }
}

function endAttempt(
  rung: Exclude<RungTaken, RungToSend>,
  receipt: Receipt | null,
  shown: ShownLadder | undefined,
): AttemptResult {
  switch (rung.outcome) {
    case "waits":
      return { receipt: null, shown: rung.shown, isWaiting: true };
    case "lost":
      return { receipt, shown };
    case "stands":
      return { receipt: receipt ?? alreadyLeft, shown };
    case "refused":
      return { receipt: refuseAllRungs(rung.rungs), shown };
  }
}

interface CallOptions extends AttemptOptions {
  readonly leaseEndsAtMs: number;
}

/** Sends the message once as the rung says; before it, its file where the channel takes files. Never throws. */
async function sendRung(
  services: AttemptServices,
  { provider, outbound, file, hasWaited }: ReadyMessage,
  rung: RungToSend,
  options: CallOptions,
): Promise<Receipt> {
  const sent = toRungMessage(outbound, rung);
  return await sendFile(
    services,
    { provider, file: rung.template === null ? file : rung.file, hasWaited },
    (uploadId) => callProvider(services, provider, { ...sent, uploadId }, options),
  );
}

/**
 * Calls a provider once. Does not call it if the claim could end before the call does, because another
 * worker may then have the message. A defect in a provider's code counts as an unknown outcome.
 */
async function callProvider(
  services: AttemptServices,
  provider: Provider,
  outbound: OutboundMessage,
  { bypassLimit, leaseEndsAtMs, onCall = () => {}, awaitTurn }: CallOptions,
): Promise<Receipt> {
  const { messageId } = outbound;
  await awaitTurn?.();
  const latestEndMs = Date.now() + services.providerTimeoutMs + (outbound.delayTypingMs ?? 0);
  if (latestEndMs > leaseEndsAtMs) {
    services.log.error("claim_expired", { messageId, remainingMs: leaseEndsAtMs - Date.now() });
    return claimTooOld;
  }
  onCall();
  try {
    const leaving = { ...outbound, content: toLeavingContent(outbound.content) };
    return await provider.send(leaving, { timeoutMs: services.providerTimeoutMs, bypassLimit });
  } catch (error) {
    services.log.error("provider_call_crashed", { messageId, ...describeDefect(error) });
    return { outcome: "unknown", reason: "an internal error during the provider call" };
  }
}

const alreadyLeft: Receipt = {
  outcome: "rejected",
  code: "already_left",
  message: "The message had left before this attempt.",
  retryable: false,
  scope: "message",
};

const undecided: Receipt = {
  outcome: "rejected",
  code: "rung_not_decided",
  message: "How the message is to leave could not be decided.",
  retryable: true,
  scope: "message",
};

const claimTooOld: Receipt = {
  outcome: "rejected",
  code: "claim_too_old",
  message: "The claim on the message was about to expire before the provider was called.",
  retryable: true,
  scope: "message",
  isUnsent: true,
};
