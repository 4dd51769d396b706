import { renderContent } from "./history_content.ts";
import type { HistoryMessage } from "./history.ts";

/** One message of a chat completions request. */
export interface PromptMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** What an agent is told: its instructions, what it may know, and what was said. */
export interface AgentPrompt {
  readonly instructions: string;
  /** Values of `{{key}}` in the instructions: never from what the contact wrote. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Oldest first. */
  readonly history: readonly HistoryMessage[];
}

/** Longest value put into the instructions, in characters. */
const maxValueLength = 2_000;

/**
 * The messages for the model. Instructions stand alone in the first one; what the contact wrote is
 * only ever the content of a `user` message, so it cannot pass for an instruction of ours.
 */
export function buildPrompt({ instructions, variables, history }: AgentPrompt): PromptMessage[] {
  return [
    { role: "system", content: fillVariables(instructions, variables) },
    ...history.map((message): PromptMessage => ({
      role: message.direction === "inbound" ? "user" : "assistant",
      content: renderContent(message, true),
    })),
  ];
}

/**
 * Puts values in place of `{{key}}`, in one pass: what a value holds is not filled again. A key
 * without a value leaves nothing.
 */
export function fillVariables(
  text: string,
  variables: Readonly<Record<string, unknown>>,
): string {
  return text.replace(
    /\{\{\s*([^{}]{1,200}?)\s*\}\}/g,
    (_placeholder, key: string) => Object.hasOwn(variables, key) ? toPlainText(variables[key]) : "",
  );
}

/** One line, without control characters: a name cannot begin a paragraph of its own. */
function toPlainText(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim().slice(0, maxValueLength);
}
