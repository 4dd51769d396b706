/** An agent's answer that offers choices or asks a question: a small JSON form, which the prompt documents. */
import * as z from "zod";
import { askWithContent } from "../messages/ask.ts";
import { type FittedContent, fitToChannel } from "../messages/channel_validation.ts";
import { askSchema, findAskIssues, type StoredAsk } from "../model/ask.ts";
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
  "The choice comes back by its title and id.",
  'To ask for something that has to be read exactly, add "ask": {"accept": "number" | "date" | "email" | "document" (CPF or CNPJ) | "media" | "text", "answerWithin": "PT2H", "remindAfter": "PT1H"} to the object, with or without options; remindAfter reminds the person once and may be left out. A number, date, email or document comes back with what was read of it.',
  "Otherwise answer in plain text.",
].join("\n");

const { message, buttons, footer, optionList } = messageFields;
const formSchema = z.strictObject({
  message,
  buttons,
  footer,
  optionList,
  ask: z.unknown().optional(),
});

/** What an agent may say of its question. What does not fit it answers itself, and nobody but it is told the end. */
const agentAskSchema = askSchema.pick({
  accept: true,
  key: true,
  remindAfter: true,
  reminder: true,
})
  .extend({ answerWithin: askSchema.shape.answerWithin.default("P1D") });

/** An answer in the form: the message, and the question that it asks. */
export interface OfferedForm {
  readonly content: MessageContent;
  readonly ask?: StoredAsk | undefined;
}

/** Models put JSON into a block of code. */
const codeBlock = /^```(?:json)?[^\S\n]*\n([\s\S]*?)```$/;

/**
 * The message that an answer in the form stands for; null for any other text, malformed JSON too. Its words are
 * cut as a plain answer's are. A question that is not asked as it should be goes as a message that asks nothing:
 * the person reads the same words.
 */
export function readOfferedForm(answer: string): OfferedForm | null {
  const text = answer.trim();
  const json = codeBlock.exec(text)?.[1] ?? text;
  if (!json.trimStart().startsWith("{")) return null;
  const form = formSchema.safeParse(parseJson(json, toStorable));
  if (!form.success) return null;
  const { ask, ...offered } = form.data;
  const request: MessageRequest = {
    ...{ messageType: chooseType(form.data), ...offered },
    message: offered.message === undefined
      ? undefined
      : toSendableAnswer(toWhatsAppSigns(offered.message)),
  };
  if (checkContent(request).length > 0) return null;
  const content = toRequestedContent(request);
  return { content, ask: readAsk(ask, request, content) };
}

function chooseType(
  { buttons, optionList, ask }: z.infer<typeof formSchema>,
): "buttons" | "option_list" | "text" {
  if (buttons !== undefined) return "buttons";
  // Words alone are in the form where they ask.
  return optionList === undefined && ask !== undefined ? "text" : "option_list";
}

function readAsk(
  asked: unknown,
  request: MessageRequest,
  content: MessageContent,
): StoredAsk | undefined {
  const ask = agentAskSchema.safeParse(asked);
  if (!ask.success || findAskIssues(ask.data, { ...request }).length > 0) return undefined;
  return askWithContent({ ask: ask.data }, content);
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
