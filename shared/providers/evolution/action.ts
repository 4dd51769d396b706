/** What Evolution API v2 is asked beside sending (POST and DELETE /chat/<verb>/<instance name>). */
import type { ChannelAction } from "../action.ts";
import { actionDone, actionNotSupported, toActionReceipt } from "../action_receipt.ts";
import type { ActionReceipt } from "../provider.ts";
import { isSuccess, type ReadingContext } from "../classification.ts";
import type { HttpAnswer } from "../http/call.ts";
import { readEvolutionAnswer } from "./answer.ts";
import type { EvolutionConfig } from "./config.ts";
import { toJid } from "./request.ts";

/** One call, its path below the base URL. */
export interface EvolutionCall {
  readonly method: "POST" | "DELETE";
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** How long it sleeps before it answers. */
  readonly sleepMs: number;
}

/** The call of an action; undefined where Evolution has no such thing. */
export function toEvolutionCall(
  action: ChannelAction,
  { instanceName }: EvolutionConfig,
): EvolutionCall | undefined {
  const call = (
    verb: string,
    body: EvolutionCall["body"],
    { method = "POST", sleepMs = 0 }: Partial<Pick<EvolutionCall, "method" | "sleepMs">> = {},
  ): EvolutionCall => ({
    ...{ method, body, sleepMs },
    path: `/chat/${verb}/${encodeURIComponent(instanceName)}`,
  });
  const { to } = action;
  const remoteJid = toJid(to);
  switch (action.action) {
    case "mark_read":
      return call("markMessageAsRead", {
        readMessages: action.providerMessageIds.map((id) => ({ id, fromMe: false, remoteJid })),
      });
    case "show_typing": {
      const { durationMs: delay } = action;
      return call("sendPresence", { number: to, presence: "composing", delay }, { sleepMs: delay });
    }
    case "edit":
      return toEdit(action, (text) => {
        const key = { id: action.providerMessageId, fromMe: true, remoteJid };
        return call("updateMessage", { number: to, text, key });
      });
    case "delete": {
      const key = { id: action.providerMessageId, fromMe: true, remoteJid };
      return call("deleteMessageForEveryone", key, { method: "DELETE" });
    }
    case "control":
      return undefined;
    case "block":
    case "unblock":
      return call("updateBlockStatus", { number: to, status: action.action });
  }
}

/** Evolution edits texts and the captions of images and videos; others are "not compatible". */
function toEdit(
  { content }: Extract<ChannelAction, { action: "edit" }>,
  toCall: (text: string) => EvolutionCall,
): EvolutionCall | undefined {
  switch (content.messageType) {
    case "text":
    case "image":
    case "video":
      return toCall(content.message ?? "");
    default:
      return undefined;
  }
}

/** What the business channel says to all of these: it has them only on phone sessions. */
const notOnBusinessChannel = /Method not available/i;

/** Reads the outcome of a call. Its status tells it; the bodies of successes say nothing more. */
export function readEvolutionActionAnswer(
  answer: HttpAnswer,
  context: ReadingContext,
): ActionReceipt {
  if (isSuccess(answer)) return actionDone;
  const receipt = toActionReceipt(readEvolutionAnswer(answer, context));
  return receipt.outcome === "rejected" && notOnBusinessChannel.test(receipt.message)
    ? actionNotSupported
    : receipt;
}
