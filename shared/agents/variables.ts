/** Fills `{{key}}` in an agent's instructions and in the text that opens a conversation. */

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
  return fill(text, (key) => {
    const value = toSingleLine(readVariable(variables, key)).slice(
      0,
      Math.min(maxValueLength, left),
    );
    left -= value.length;
    return value;
  });
}

/**
 * Replaces `{{key}}` in a text for the contact, with values as they are. A key without a value stays as
 * written.
 *
 * @returns null where the text would exceed `maxLength` UTF-16 code units.
 */
export function fillMessageText(
  text: string,
  variables: Variables,
  maxLength: number,
): string | null {
  let length = text.length;
  const filled = fill(text, (key, written) => {
    if (length > maxLength) return "";
    const value = readVariable(variables, key);
    if (value === "") return written;
    length += value.length - written.length;
    return value;
  });
  return length > maxLength ? null : filled;
}

/** Reduces a text to one line without control characters. */
export function toSingleLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

function fill(text: string, valueOf: (key: string, written: string) => string): string {
  return text.replace(placeholder, (written, between: string) => {
    const key = between.trim();
    return key === "" || key.length > maxKeyLength ? written : valueOf(key, written);
  });
}

function readVariable(variables: Variables, key: string): string {
  const value = Object.hasOwn(variables, key) ? variables[key] : null;
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
