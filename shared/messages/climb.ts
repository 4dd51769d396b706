/** How a message with a ladder leaves: by the rung that the database decides, and after a refusal by the next. */
import type { Database } from "../database/database.ts";
import type { RecordedError } from "../database/rpcs/message_error.ts";
import type { AcceptedOutcome, RungTaken, StoredLadder } from "../database/rpcs/messages.ts";
import { readStoredContent, type StoredContent } from "../model/message_content.ts";
import type { ShownLadder } from "../model/outside_window.ts";
import type { OutboundMessage, Receipt } from "../providers/provider.ts";
import { describeDefect, type Log } from "../runtime/log.ts";
import { toLeaseSeconds } from "./claim.ts";
import type { HeaderFiles } from "./header_files.ts";

/** The claim on a message with a ladder. */
export interface LadderClaim {
  readonly instanceId: string;
  readonly messageId: string;
  readonly claimToken: string;
  readonly leaseEndsAtMs: number;
}

/** One way to send the message now. */
export type RungToSend = Extract<RungTaken, { outcome: "send" }>;

/** How the sending of a claimed message has ended. */
export interface Departure {
  /** Null where the claim has ended: the message waits for an answer, or another worker has it. */
  readonly receipt: Receipt | null;
  /** What answers say of its ladder now; undefined for none. */
  readonly shown?: ShownLadder | undefined;
  /** Whether it waits for the answer to an invitation. */
  readonly isWaiting?: boolean | undefined;
}

interface ClimbingServices {
  readonly database: Database;
  readonly providerTimeoutMs: number;
  readonly log: Log;
}

/**
 * Sends a claimed message with a ladder: by `first`, or as the database decides now; after a refusal that gives way,
 * by the next rung, under the same claim. Each rung is called once. Never throws.
 *
 * @param send makes the one call; the claim then lasts until `leaseEndsAtMs`.
 */
export async function sendByLadder(
  services: ClimbingServices,
  claim: LadderClaim,
  first: RungToSend | null,
  send: (rung: RungToSend, leaseEndsAtMs: number) => Promise<Receipt>,
): Promise<Departure> {
  let { leaseEndsAtMs } = claim;
  let rung = first ?? await takeRung(services, claim, null);
  let receipt: Receipt | null = null;
  let shown: ShownLadder | undefined;
  for (;;) {
    if (rung === null) return { receipt: receipt ?? undecided, shown };
    if (rung.outcome !== "send") return endClimb(rung, receipt, shown);
    shown = rung.shown;
    receipt = await send(rung, leaseEndsAtMs);
    // Only a refusal that means something can be about the window, a template or Direct Send.
    if (receipt.outcome !== "rejected" || receipt.meaning === undefined || receipt.retryable) {
      return { receipt, shown };
    }
    const { code, message, meaning } = receipt;
    leaseEndsAtMs = Date.now() + leaseSecondsOf(services) * 1_000;
    rung = await takeRung(services, claim, { code, message, meaning });
  }
}

function endClimb(
  rung: Exclude<RungTaken, RungToSend>,
  receipt: Receipt | null,
  shown: ShownLadder | undefined,
): Departure {
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

/** Null where it is not known: the database did not answer. */
async function takeRung(
  services: ClimbingServices,
  { instanceId, messageId, claimToken }: LadderClaim,
  refusal: RecordedError | null,
): Promise<RungTaken | null> {
  const leaseSeconds = leaseSecondsOf(services);
  const request = { instanceId, messageId, claimToken, leaseSeconds, refusal };
  try {
    return await services.database.rpc("take_rung", request);
  } catch (error) {
    services.log.error("rung_not_decided", { messageId, ...describeDefect(error) });
    return null;
  }
}

function leaseSecondsOf({ providerTimeoutMs }: ClimbingServices): number {
  return toLeaseSeconds(providerTimeoutMs);
}

/** The rung that the recording transaction has decided on, of a ladder with these files. */
export function readDecidedRung(
  { sentAs, rung, ...outcome }: AcceptedOutcome,
  ladder: StoredLadder,
  headerFiles: HeaderFiles | undefined,
): RungToSend {
  const { template, invitationId } = outcome;
  const shown = { sentAs, template, invitationId };
  if (sentAs !== "template") {
    const decided = sentAs === "direct_send" ? sentAs : "message";
    return { outcome: "send", sentAs: decided, shown, template: null, file: null };
  }
  const taken = ladder.rungs[rung ?? -1];
  if (taken === undefined || taken.rung === "directSend") {
    throw new Error("accept_message took a rung that is no template");
  }
  const { message = null, content = null, mediaId = "" } = taken;
  const stored: StoredContent = { messageType: "template", message, content };
  const file = headerFiles?.get(mediaId)?.file ?? null;
  return { outcome: "send", sentAs, shown, template: stored, file };
}

/** The message as the rung sends it. */
export function toRungMessage(outbound: OutboundMessage, rung: RungToSend): OutboundMessage {
  if (rung.template === null) {
    return rung.sentAs === "direct_send" ? { ...outbound, category: "utility" } : outbound;
  }
  const { messageId, to } = outbound;
  return { messageId, to, content: readStoredContent(rung.template) };
}

function refuseAllRungs(rungs: Extract<RungTaken, { outcome: "refused" }>["rungs"]): Receipt {
  const passed = rungs.map(({ rung, reason }) => `${rung} (${reason})`).join(", ");
  return {
    outcome: "rejected",
    code: "outside_conversation_window",
    message: `The conversation window is closed, and no rung of outsideWindow was left: ${passed}`,
    meaning: "outside_conversation_window",
    rungs,
    retryable: false,
    scope: "message",
  };
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
