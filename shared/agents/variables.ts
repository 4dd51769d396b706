/** Fills `{{key}}` in an agent's instructions and in the text that opens a conversation. */
import { cutText } from "../model/cut_text.ts";

export type Variables = Readonly<Record<string, unknown>>;

/** A contact as its agent knows it. */
export interface AgentContact {
  /** As the API or an operator gave it: a profile name is never an instruction. */
  readonly name: string | null;
  readonly phone: string | null;
}

/**
 * What fills an agent's placeholders (decisions, section 6): `nome` and `telefone` of the contact,
 * and before them the data that the caller gave, of which the later wins.
 */
export function listAgentVariables(
  { name, phone }: AgentContact,
  ...callersData: readonly (Variables | undefined)[]
): Variables {
  return Object.assign({ nome: name, telefone: phone }, ...callersData);
}

/** Longest value put into the instructions, in characters. */
const maxValueLength = 2_000;

/** Limit of all inserted values together, in characters. A key may occur many times. */
const maxFilledLength = 32_768;

const maxKeyLength = 200;

/** A key contains no braces, so matching takes linear time. */
const placeholder = /\{\{([^{}]*)\}\}/g;

/**
 * Replaces `{{key}}` in instructions in one pass; placeholders inside values stay as they are. A key
 * without a value becomes empty. Values are reduced to one line, so a value cannot start a paragraph.
 */
export function fillInstructions(text: string, variables: Variables): string {
  let left = maxFilledLength;
  const read = createReader(variables, (value) => cutText(toSingleLine(value), maxValueLength));
  return fill(text, (key) => {
    const value = cutText(read(key), left);
    left -= value.length;
    return value;
  });
}

/** A text for the contact with its variables. */
export interface FilledText {
  readonly text: string;
  /** The keys without a value, each once and at most a hundred. */
  readonly unfilled: readonly string[];
}

const maxUnfilled = 100;

/**
 * Replaces `{{key}}` in a text for the contact, with values as they are. A key without a value stays as
 * written.
 *
 * @returns null where the text would exceed `maxLength` UTF-16 code units; then it is not filled at all.
 */
export function fillMessageText(
  text: string,
  variables: Variables,
  maxLength: number,
): FilledText | null {
  let length = text.length;
  const unfilled = new Set<string>();
  const read = createReader(variables, (value) => value);
  const valueOf = (key: string, written: string): string => read(key) || written;
  for (const [written, between = ""] of text.matchAll(placeholder)) {
    const key = readKey(between);
    if (key !== null) {
      length += valueOf(key, written).length - written.length;
      if (read(key) === "" && unfilled.size < maxUnfilled) unfilled.add(key);
    }
    if (length > maxLength) return null;
  }
  return { text: fill(text, valueOf), unfilled: [...unfilled] };
}

/** Reduces a text to one line without control characters. */
export function toSingleLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

function fill(text: string, valueOf: (key: string, written: string) => string): string {
  return text.replace(placeholder, (written, between: string) => {
    const key = readKey(between);
    return key === null ? written : valueOf(key, written);
  });
}

function readKey(between: string): string | null {
  const key = between.trim();
  return key === "" || key.length > maxKeyLength ? null : key;
}

/** Reads values as texts, each once: a text may name a key thousands of times. */
function createReader(
  variables: Variables,
  prepare: (value: string) => string,
): (key: string) => string {
  const known = new Map<string, string>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, value = prepare(readVariable(variables, key)));
    return value;
  };
}

function readVariable(variables: Variables, key: string): string {
  const value = Object.hasOwn(variables, key) ? variables[key] : null;
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
