/** The rungs of a message: the ways in which it can be sent. A message without a ladder has one, itself. */
import type { Database } from "../database/database.ts";
import type {
  AcceptedOutcome,
  RungTaken,
  StoredLadder,
  TakeRungRequest,
} from "../database/rpcs/messages.ts";
import type { RecordedError } from "../model/message_error.ts";
import { readStoredContent, type StoredContent } from "../model/message_content.ts";
import type { OutboundMessage, Receipt } from "../providers/provider.ts";
import { describeDefect, type Log } from "../runtime/log.ts";
import type { HeaderFiles } from "./header_files.ts";

/** One way to send the message now. */
export type RungToSend = Extract<RungTaken, { outcome: "send" }>;

/** The only rung of a message without a ladder. */
export const messageItself: RungToSend = {
  outcome: "send",
  sentAs: "message",
  shown: {},
  template: null,
  file: null,
};

/** The rung that the database decides on now, see `take_rung`. Null where it does not answer. */
export async function takeRung(
  { database, log }: { readonly database: Database; readonly log: Log },
  request: TakeRungRequest,
): Promise<RungTaken | null> {
  try {
    return await database.rpc("take_rung", request);
  } catch (error) {
    log.error("rung_not_decided", { messageId: request.messageId, ...describeDefect(error) });
    return null;
  }
}

/** The rung that the recording transaction has decided on, of a ladder with these files. */
export function readDecidedRung(
  { sentAs, rung, template, invitationId }: AcceptedOutcome,
  ladder: StoredLadder,
  headerFiles: HeaderFiles | undefined,
): RungToSend {
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

/**
 * The refusal after which another rung, or the message as text, can help; null where neither can. Only a refusal
 * with a meaning can be about the window, a template, Direct Send or the form of a payment.
 */
export function readMeaningfulRefusal(receipt: Receipt): RecordedError | null {
  if (receipt.outcome !== "rejected" || receipt.meaning === undefined || receipt.retryable) {
    return null;
  }
  const { code, message, meaning } = receipt;
  return { code, message, meaning };
}

/** The receipt of a message that has no rung left. */
export function refuseAllRungs(
  rungs: Extract<RungTaken, { outcome: "refused" }>["rungs"],
): Receipt {
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
