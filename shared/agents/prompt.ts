import { cutText } from "../model/cut_text.ts";
import { fillInstructions, toSingleLine, type Variables } from "./variables.ts";
import { choiceForm } from "./offered_choices.ts";
import { describeForModel, describeReferral } from "./message_facts.ts";
import type { HistoryMessage } from "../database/rpcs/history.ts";

/** One message of a chat completions request. */
export interface PromptMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** The input of a prompt: instructions, variables and history. */
export interface AgentPrompt {
  readonly instructions: string;
  /** Values of `{{key}}` in the instructions. None comes from the contact. */
  readonly variables: Variables;
  /** The contact's own profile name; null where a given name is known, or none at all. */
  readonly profileName: string | null;
  /** Oldest first. */
  readonly history: readonly HistoryMessage[];
  /** What was read of answers to the agent's own questions, by the id of the message that answers. */
  readonly answers?: Readonly<Record<string, string>> | undefined;
  /** Whether the model has answered this already, with a tool call alone, or with markup that no person can read. */
  readonly isAskedAnew?: boolean;
}

/** Stands at the end of the instructions where the model is asked anew. */
const plainForm =
  "Write only the words for the person: no reasoning, no tool calls, no tags and no special tokens.";

/**
 * Size limits of the history in a prompt, in bytes of UTF-8, tried in this order. The first is about
 * 10,000 tokens of Portuguese and fits a context of 16,384 tokens; the others serve smaller contexts.
 */
export const historyBudgets: readonly number[] = [32_768, 16_384, 8_192, 4_096];

/** One message takes at most this fraction (1/4) of the budget, so that it does not crowd out others. */
const shareOfOneMessage = 4;

const maxProfileNameLength = 200;

/** Marks where a message was cut. */
const truncationMark = " […]";

/**
 * Builds the messages for the model, with the newest history that fits into `budgetBytes`. The first
 * message holds the instructions, then the form of an answer with choices, and nothing else. What the contact
 * wrote, its profile name included, appears in `user` messages only, so it cannot pass for an instruction.
 *
 * After the first message roles alternate, beginning and ending with `user`: the chat templates of many
 * models (Mistral, Gemma) and some services reject anything else.
 */
export function buildPrompt(prompt: AgentPrompt, budgetBytes: number): PromptMessage[] {
  const { instructions, variables, profileName, isAskedAnew = false } = prompt;
  const said = keepNewest(prompt, budgetBytes);
  const ad = describeReferral(prompt.history);
  const known = [
    ...(profileName === null ? [] : [describeProfile(profileName)]),
    ...(ad === null ? [] : [ad]),
  ];
  const turns = [...known.map(toUserMessage), ...said];
  if (turns[0]?.role !== "user") {
    turns.unshift(toUserMessage("[conversation opened by the business]"));
  }
  if (turns.at(-1)?.role !== "user") {
    turns.push(toUserMessage("[the contact is still waiting for an answer]"));
  }
  return [
    {
      role: "system",
      content: [
        fillInstructions(instructions, variables),
        choiceForm,
        ...(isAskedAnew ? [plainForm] : []),
      ].join("\n\n"),
    },
    ...joinNeighbors(turns),
  ];
}

function toUserMessage(content: string): PromptMessage {
  return { role: "user", content };
}

/** Quotes the name as a JSON string, so that a quotation mark in it does not end the quotation. */
function describeProfile(profileName: string): string {
  const name = cutText(toSingleLine(profileName), maxProfileNameLength).toWellFormed();
  return `[profile name of the contact, as the contact wrote it: ${JSON.stringify(name)}]`;
}

/** The newest messages that fit, oldest first. The last message always fits. */
function keepNewest({ history, answers }: AgentPrompt, budgetBytes: number): PromptMessage[] {
  const kept: PromptMessage[] = [];
  let left = budgetBytes;
  for (const message of history.toReversed()) {
    const text = describeForModel(message, history, answers).toWellFormed();
    const { content, bytes } = clip(text, Math.floor(budgetBytes / shareOfOneMessage));
    if (bytes > left) break;
    left -= bytes;
    kept.unshift({ role: message.direction === "inbound" ? "user" : "assistant", content });
  }
  return kept;
}

/** Cuts a text to `maxBytes`, the cut mark included. */
function clip(
  text: string,
  maxBytes: number,
): { readonly content: string; readonly bytes: number } {
  const space = new Uint8Array(maxBytes);
  const encoder = new TextEncoder();
  const whole = encoder.encodeInto(text, space);
  if (whole.read === text.length) return { content: text, bytes: whole.written };
  const markBytes = encoder.encode(truncationMark).length;
  const { read } = encoder.encodeInto(text, space.subarray(0, maxBytes - markBytes));
  return { content: cutText(text, read) + truncationMark, bytes: maxBytes };
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
