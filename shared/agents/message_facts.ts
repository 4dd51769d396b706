/** What a model is told around a message's words: the message that it answers, the option, the ad. */
import { cutText } from "../model/cut_text.ts";
import type { HistoryMessage } from "../database/rpcs/history.ts";
import { renderContent } from "../history/rendering.ts";
import { toSingleLine } from "./variables.ts";

const maxQuotedLength = 200;

/**
 * A message as its author's turn. Above an answer stands the answered message, where the history holds it;
 * behind a chosen option its id, behind the answer to a question of the agent what was read of it.
 */
export function describeForModel(
  message: HistoryMessage,
  history: readonly HistoryMessage[],
  answers: Readonly<Record<string, string>> = {},
): string {
  const answered = message.messageType === "reaction" || message.quotedMessageId !== null
    ? history.find(({ messageId }) => messageId === message.quotedMessageId)
    : undefined;
  // The line above says what a reaction is to, quoted as data.
  const words = renderContent({ ...message, reactedTo: null }, true) + describeOption(message) +
    describeValue(answers[message.messageId]);
  return answered === undefined
    ? words
    : `[in answer to: ${quote(renderContent(answered, true))}]\n${words}`;
}

/** The ad that brought the person, by the newest message that tells of one; null for none. */
export function describeReferral(history: readonly HistoryMessage[]): string | null {
  const referral = history.findLast(({ content }) => content?.referral !== undefined)?.content
    ?.referral;
  const shown = referral?.headline ?? referral?.body;
  return shown === undefined ? null : `[the contact came by an ad: ${quote(shown)}]`;
}

function describeOption({ content }: HistoryMessage): string {
  const { id, title } = content?.choice ?? {};
  return id === undefined || id === null || id === title ? "" : ` [option ${quote(id)}]`;
}

function describeValue(value: string | undefined): string {
  return value === undefined ? "" : ` [read as ${quote(value)}]`;
}

/** As a JSON string on one line, so that a quotation mark in it does not end the quotation. */
function quote(text: string): string {
  return JSON.stringify(cutText(toSingleLine(text), maxQuotedLength).toWellFormed());
}
