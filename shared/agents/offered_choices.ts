/** An agent's answer that offers choices: a small JSON form, which the prompt documents. */
import * as z from "zod";
import { type FittedContent, fitToChannel } from "../messages/channel_validation.ts";
import type { Instance } from "../model/instance.ts";
import type { ContentOf, MessageContent } from "../model/message_content.ts";
import {
  checkContent,
  messageFields,
  type MessageRequest,
  toRequestedContent,
} from "../model/message_request.ts";
import { numberChoices, toLeavingContent } from "../model/numbered_text.ts";
import type { Provider } from "../providers/provider.ts";
import { parseJson } from "../model/json_value.ts";
import { AppError } from "../model/errors.ts";
import { maxAnswerCharacters, toSendableAnswer, toStorable } from "./answer.ts";
import { toWhatsAppSigns } from "./whatsapp_signs.ts";

/** What every agent is told, behind its instructions. */
export const choiceForm = [
  "To let the person choose by a tap, answer with one JSON object and nothing else:",
  '{"message": "<text>", "buttons": [{"id": "<id>", "title": "<at most 20 characters>"}]} with 1 to 3 buttons, or',
  '{"message": "<text>", "optionList": {"title": "<title>", "buttonLabel": "<at most 20 characters>", "options": [{"id": "<id>", "title": "<at most 24 characters>"}]}} with at most 10 options.',
  "The choice comes back by its title and id. Otherwise answer in plain text.",
].join("\n");

const { message, buttons, footer, optionList } = messageFields;
const formSchema = z.strictObject({ message, buttons, footer, optionList });

/** Models put JSON into a block of code. */
const codeBlock = /^```(?:json)?[^\S\n]*\n([\s\S]*?)```$/;

/**
 * The content that an answer in the form stands for; null for any other text, malformed JSON too. Its words
 * are cut as a plain answer's are.
 */
export function readOfferedChoices(answer: string): MessageContent | null {
  const text = answer.trim();
  const json = codeBlock.exec(text)?.[1] ?? text;
  if (!json.trimStart().startsWith("{")) return null;
  const form = formSchema.safeParse(parseJson(json, toStorable));
  if (!form.success) return null;
  const messageType = form.data.buttons === undefined ? "option_list" : "buttons";
  const request: MessageRequest = {
    ...{ messageType, ...form.data },
    message: form.data.message === undefined
      ? undefined
      : toSendableAnswer(toWhatsAppSigns(form.data.message)),
  };
  return checkContent(request).length === 0 ? toRequestedContent(request) : null;
}

/** What an agent's channel is, as its turn tells it. */
export type AgentChannel = Pick<
  Instance,
  "provider" | "gatewayInstanceId" | "interactiveRendering"
>;

/**
 * The content as the channel carries it. What does not fit its own form, such as a title that is too long,
 * goes as numbered text, its words cut so that the options fit: the person was asked all the same.
 */
export function fitOfferedChoices(
  channel: AgentChannel,
  provider: Provider | null,
  content: MessageContent,
): FittedContent {
  try {
    if (provider !== null) return fitToChannel(channel, provider, content);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  if (content.messageType !== "buttons" && content.messageType !== "option_list") {
    return { content };
  }
  const numbered = { ...content, rendering: "text" } as const;
  // Options longer than the whole text are refused by the channel, whatever stands above them.
  const room = Math.max(maxAnswerCharacters - countOptions(numbered), 1);
  const message = toSendableAnswer(content.message, room);
  return { content: { ...numbered, message }, choices: numberChoices(content) };
}

/** How many characters a numbered text has beside its words. */
function countOptions(content: ContentOf<"buttons" | "option_list">): number {
  const leaving = toLeavingContent(content);
  const words = leaving.messageType === "text" ? leaving.message : "";
  return [...words].length - [...content.message].length;
}
