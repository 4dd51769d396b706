import { removeReasoning } from "./model_reasoning.ts";
import { parseJson, readValue } from "../model/json_value.ts";

/** What a chat completion came to: words for the contact, or an error as a word for the log. */
export type ModelAnswer = { readonly text: string } | { readonly error: string };

/** The error of an answer that the model's own filter cut: what is left of it is not to be read. */
export const answerFiltered = "model_answer_filtered";

/**
 * Reads the body of `POST /chat/completions`: JSON, or its text where the server calls it
 * `text/plain`. Reasoning is left out, a filtered answer is dropped, and one that ended at the limit
 * of tokens ends with its last whole sentence.
 */
export function readModelAnswer(body: unknown): ModelAnswer {
  const completion = typeof body === "string" ? parseJson(body) : body;
  const choice = readValue(completion, "choices", 0);
  const message = readValue(choice, "message");
  if (typeof message !== "object" || message === null) return { error: "model_answer_unreadable" };
  const finishReason = readValue(choice, "finish_reason");
  if (finishReason === "content_filter") return { error: answerFiltered };
  const answer = removeReasoning(readContent(readValue(message, "content"))).trim();
  if (answer === "") return { error: "model_said_nothing" };
  return { text: finishReason === "length" ? endAtSentence(answer) : answer };
}

/** A text, or parts of which those of type `text` are meant to be read. */
function readContent(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: unknown) => {
    if (typeof part === "string") return part;
    const type = readValue(part, "type");
    const text = readValue(part, "text");
    return (type === "text" || type === "output_text") && typeof text === "string" ? text : "";
  }).join("");
}

/** A digit before the full stop may be the beginning of a number: `1.` of `1.500`. */
const sentenceEnd = /[!?…](?=\s|$)|\.(?=\s)|(?<!\d)\.$|\n/g;

/** A text that broke off, without its broken end: a sentence, else a word. */
function endAtSentence(text: string): string {
  const end = [...text.matchAll(sentenceEnd)].at(-1);
  if (end !== undefined) return text.slice(0, end.index + end[0].length).trimEnd();
  const lastSpace = text.lastIndexOf(" ");
  return `${lastSpace === -1 ? text : text.slice(0, lastSpace)}…`;
}
