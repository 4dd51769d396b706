import { isBlank } from "../model/visible_text.ts";
import { holdsCallAlone, readPersonText } from "./model_markup.ts";
import { parseJson, readValue } from "../model/json_value.ts";

/** The text for the contact, or an error code for the log. */
export type ModelAnswer = { readonly text: string } | { readonly error: string };

/** Error code: the model's content filter cut the answer, so the rest must not be sent. */
export const answerFiltered = "model_answer_filtered";

/** Error code: the answer holds markup that is not known, so nothing of it may be sent. */
export const markupUnknown = "model_markup_unknown";

/** Error code: the answer is a call of a tool and nothing else. Agents have no tools. */
export const calledTool = "model_called_tool";

/** Errors after which the model is asked anew once, in other words: as it was asked it would fail again. */
export const askedAnewOnce: ReadonlySet<string> = new Set([markupUnknown, calledTool]);

/**
 * Reads the response body of `POST /chat/completions`, also where the server labels the JSON as
 * `text/plain`. Removes reasoning and tool calls, drops a filtered answer and one with unknown markup, and
 * ends an answer that hit the token limit after its last whole sentence.
 */
export function readModelAnswer(body: unknown): ModelAnswer {
  const completion = typeof body === "string" ? parseJson(body) : body;
  const choice = readValue(completion, "choices", 0);
  const message = readValue(choice, "message");
  if (typeof message !== "object" || message === null) return { error: "model_answer_unreadable" };
  const finishReason = readValue(choice, "finish_reason");
  if (finishReason === "content_filter") return { error: answerFiltered };
  const content = readContent(readValue(message, "content"));
  const answer = readPersonText(content);
  if (answer === null) return { error: markupUnknown };
  if (isBlank(answer)) {
    const isCall = hasCalls(message, finishReason) || holdsCallAlone(content);
    return { error: isCall ? calledTool : "model_said_nothing" };
  }
  return { text: finishReason === "length" ? endAtSentence(answer) : answer };
}

const callFinishes: readonly unknown[] = ["tool_calls", "function_call", "tool_use"];
const callTypes: readonly unknown[] = ["tool_use", "tool_call", "function_call", "server_tool_use"];

/** Whether the answer calls a tool beside its content, or in a part of it. */
function hasCalls(message: unknown, finishReason: unknown): boolean {
  const calls = readValue(message, "tool_calls");
  const content = readValue(message, "content");
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return Array.isArray(calls) && calls.length > 0 ||
    (readValue(message, "function_call") ?? null) !== null ||
    callFinishes.includes(finishReason) ||
    parts.some((part) => callTypes.includes(readValue(part, "type")));
}

/** Content is a string, or an array of parts; only text parts count. */
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

/** A full stop after a digit at the end may belong to a cut number: `1.` of `1.500`. */
const sentenceEnd = /[!?…](?=\s|$)|\.(?=\s)|(?<!\d)\.$|\n/g;

/** Removes the incomplete last sentence of a cut text, or else its incomplete last word. */
function endAtSentence(text: string): string {
  const end = [...text.matchAll(sentenceEnd)].at(-1);
  if (end !== undefined) return text.slice(0, end.index + end[0].length).trimEnd();
  const lastSpace = text.lastIndexOf(" ");
  return `${lastSpace === -1 ? text : text.slice(0, lastSpace)}…`;
}
