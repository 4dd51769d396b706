import { fillInstructions, toSingleLine, type Variables } from "./variables.ts";
import { renderContent } from "../history/rendering.ts";
import type { HistoryMessage } from "../history/query.ts";

/** One message of a chat completions request. */
export interface PromptMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** What an agent is told: its instructions, what it may know, and what was said. */
export interface AgentPrompt {
  readonly instructions: string;
  /** Values of `{{key}}` in the instructions: never from what the contact wrote. */
  readonly variables: Variables;
  /** What the contact calls itself; null where its name is known otherwise, or not at all. */
  readonly profileName: string | null;
  /** Oldest first. */
  readonly history: readonly HistoryMessage[];
}

/**
 * What the history may take of a prompt, in bytes of UTF-8. About 10,000 tokens of Portuguese, which
 * fits the models with a context of 16,384. A model with a smaller one is asked again with less.
 */
export const historyBudgets: readonly number[] = [32_768, 16_384, 8_192, 4_096];

/** What one message may take of the budget: a long one must not hide the conversation around it. */
const shareOfOneMessage = 4;

const maxProfileNameLength = 200;

/** Stands where a message was cut. */
const cutMark = " […]";

/**
 * The messages for the model: the newest of the history, as far as `budgetBytes` reaches. Instructions
 * stand alone in the first one; what the contact wrote, its profile name too, is only ever the content
 * of a `user` message, so it cannot pass for an instruction of ours.
 *
 * The other messages alternate from a `user` message to a `user` message: the chat templates of many
 * models (Mistral, Gemma) and some services refuse anything else.
 */
export function buildPrompt(prompt: AgentPrompt, budgetBytes: number): PromptMessage[] {
  const { instructions, variables, profileName } = prompt;
  const said = keepNewest(prompt.history, budgetBytes);
  const turns = [...said];
  if (profileName !== null) turns.unshift(toUserMessage(describeProfile(profileName)));
  else if (said[0]?.role !== "user") {
    turns.unshift(toUserMessage("[conversation opened by the business]"));
  }
  if (turns.at(-1)?.role !== "user") {
    turns.push(toUserMessage("[the contact is still waiting for an answer]"));
  }
  return [
    { role: "system", content: fillInstructions(instructions, variables) },
    ...joinNeighbors(turns),
  ];
}

function toUserMessage(content: string): PromptMessage {
  return { role: "user", content };
}

/** As a JSON string: a quotation mark in the name does not end the quotation. */
function describeProfile(profileName: string): string {
  const name = toSingleLine(profileName).slice(0, maxProfileNameLength).toWellFormed();
  return `[profile name of the contact, as the contact wrote it: ${JSON.stringify(name)}]`;
}

/** The newest messages that fit, oldest first; the last one always does. */
function keepNewest(history: readonly HistoryMessage[], budgetBytes: number): PromptMessage[] {
  const kept: PromptMessage[] = [];
  let left = budgetBytes;
  for (const message of history.toReversed()) {
    const text = renderContent(message, true).toWellFormed();
    const { content, bytes } = clip(text, Math.floor(budgetBytes / shareOfOneMessage));
    if (bytes > left) break;
    left -= bytes;
    kept.unshift({ role: message.direction === "inbound" ? "user" : "assistant", content });
  }
  return kept;
}

/** At most `maxBytes` of a text's beginning, the mark included. */
function clip(
  text: string,
  maxBytes: number,
): { readonly content: string; readonly bytes: number } {
  const space = new Uint8Array(maxBytes);
  const encoder = new TextEncoder();
  const whole = encoder.encodeInto(text, space);
  if (whole.read === text.length) return { content: text, bytes: whole.written };
  const markBytes = encoder.encode(cutMark).length;
  const { read } = encoder.encodeInto(text, space.subarray(0, maxBytes - markBytes));
  return { content: text.slice(0, read) + cutMark, bytes: maxBytes };
}

function joinNeighbors(messages: readonly PromptMessage[]): PromptMessage[] {
  const joined: PromptMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role !== message.role) joined.push(message);
    else joined[joined.length - 1] = { ...last, content: `${last.content}\n${message.content}` };
  }
  return joined;
}
