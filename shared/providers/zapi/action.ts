/** What Z-API is asked beside sending (pages read-message, delete-message, block-contact, send-text). */
import type { ChannelAction } from "../action.ts";
import { actionDone, toActionReceipt } from "../action_receipt.ts";
import type { ActionReceipt } from "../provider.ts";
import { isSuccess, type ReadingContext } from "../classification.ts";
import type { HttpAnswer } from "../http/call.ts";
import { readValue } from "../../model/json_value.ts";
import { readZapiAnswer } from "./answer.ts";
import type { ZapiConfig } from "./config.ts";
import { instancePath } from "./address.ts";
import { toDocumentVerb } from "./request.ts";

/** One call, its path below the base URL. */
export interface ZapiCall {
  readonly method: "POST" | "DELETE";
  readonly path: string;
  /** Undefined for a call without a body. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** The calls of an action, in their order; none where Z-API has no such thing. */
export function toZapiCalls(action: ChannelAction, config: ZapiConfig): readonly ZapiCall[] {
  const post = (verb: string, body: ZapiCall["body"]): ZapiCall => ({
    method: "POST",
    path: `${instancePath(config)}/${verb}`,
    body,
  });
  const phone = action.to;
  switch (action.action) {
    case "mark_read":
      // One message a call.
      return action.providerMessageIds.map((messageId) =>
        post("read-message", { phone, messageId })
      );
    case "show_typing":
      return [];
    case "edit":
      return listEdits(action).map(({ verb, members }) => post(verb, { phone, ...members }));
    case "delete": {
      const query = new URLSearchParams({
        ...{ messageId: action.providerMessageId, phone, owner: "true" },
      });
      return [{
        method: "DELETE",
        path: `${instancePath(config)}/messages?${query}`,
        body: undefined,
      }];
    }
    case "control":
      return [];
    case "block":
    case "unblock":
      return [post("contacts/modify-blocked", { phone, action: action.action })];
  }
}

/** An edit is sent like the message, under its id. Z-API has that for texts and documents. */
function listEdits(
  { content, providerMessageId }: Extract<ChannelAction, { action: "edit" }>,
): { readonly verb: string; readonly members: Readonly<Record<string, unknown>> }[] {
  switch (content.messageType) {
    case "text":
      return [{
        verb: "send-text",
        members: { message: content.message, editMessageId: providerMessageId },
      }];
    case "document": {
      const { verb, members } = toDocumentVerb(content);
      return [{ verb, members: { ...members, editDocumentMessageId: providerMessageId } }];
    }
    default:
      return [];
  }
}

/** Reads the outcome of one call. Most answers are empty: their status alone tells it. */
export function readZapiActionAnswer(
  { action }: ChannelAction,
  answer: HttpAnswer,
  context: ReadingContext,
): ActionReceipt {
  if (!isSuccess(answer)) return toActionReceipt(readZapiAnswer(answer, context));
  const isRefused = (action === "block" || action === "unblock") &&
    readValue(answer.json, "value") === false;
  return isRefused ? refusedByValue : actionDone;
}

/** `{value: false}`: the page of blocking names no reason. */
const refusedByValue: ActionReceipt = {
  outcome: "rejected",
  code: "not_changed",
  message: "The provider answered that nothing was changed.",
  retryable: false,
  scope: "message",
};
