/** What WAHA is asked beside sending (pages Send messages, Presence, Contacts). */
import type { ChannelAction } from "../action.ts";
import { actionDone, actionNotSupported, toActionReceipt } from "../action_receipt.ts";
import { isSuccess, type ReadingContext } from "../classification.ts";
import type { HttpAnswer } from "../http/call.ts";
import type { ActionReceipt } from "../provider.ts";
import { readErrorText, readWahaAnswer } from "./answer.ts";
import type { WahaConfig } from "./config.ts";
import { toChatId, writeWahaId } from "./message_id.ts";
import type { WahaCall } from "./request.ts";

/** The call of an action; undefined where WAHA has no such thing. */
export function toWahaCall(action: ChannelAction, { session }: WahaConfig): WahaCall | undefined {
  const chatId = toChatId(action.to);
  const post = (path: string, members: Readonly<Record<string, unknown>>): WahaCall => ({
    method: "POST",
    path: `/api/${path}`,
    body: { session, ...members },
  });
  const ofMessage = (id: string): string => {
    const [chat, message] = [chatId, writeWahaId(chatId, id, true)].map(encodeURIComponent);
    return `/api/${encodeURIComponent(session)}/chats/${chat}/messages/${message}`;
  };
  switch (action.action) {
    case "mark_read": {
      // NOWEB and GOWS mark these; WEBJS all of the chat.
      const messageIds = action.providerMessageIds.map((id) => writeWahaId(chatId, id, false));
      return post("sendSeen", { chatId, messageIds });
    }
    case "show_typing":
      // WhatsApp ends it with the next message, or after 25 s.
      return post("startTyping", { chatId });
    case "edit": {
      const text = readEditedText(action);
      return text === undefined
        ? undefined
        : { method: "PUT", path: ofMessage(action.providerMessageId), body: { text } };
    }
    case "delete":
      return { method: "DELETE", path: ofMessage(action.providerMessageId), body: undefined };
    case "control":
      return undefined;
    case "block":
    case "unblock":
      return post(`contacts/${action.action}`, { contactId: chatId });
  }
}

/** WAHA edits texts and captions. */
function readEditedText(
  { content }: Extract<ChannelAction, { action: "edit" }>,
): string | undefined {
  switch (content.messageType) {
    case "text":
    case "image":
    case "video":
    case "document":
      return content.message ?? "";
    default:
      return undefined;
  }
}

/** Reads the outcome of a call. Its status tells it: many successes have no body. */
export function readWahaActionAnswer(answer: HttpAnswer, context: ReadingContext): ActionReceipt {
  if (isSuccess(answer)) return actionDone;
  return lacksCall(answer) ? actionNotSupported : toActionReceipt(readWahaAnswer(answer, context));
}

/** Whether the session's engine has no such call: WAHA answers 422 with a sentence. */
function lacksCall(answer: HttpAnswer): boolean {
  return answer.status === 422 &&
    /not (?:implemented|supported)|available only in|only available in/i.test(
      readErrorText(answer.json),
    );
}
