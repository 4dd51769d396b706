import type { ContactFacts } from "../../shared/database/rpcs/templates.ts";
import { type Issue, maxIssues } from "../../shared/model/errors.ts";
import {
  mapTexts,
  type MessageRequest,
  type RequestedField,
} from "../../shared/model/message_request.ts";
import { FillableText, maxFilledLength } from "../../shared/model/placeholders.ts";
import { findContactFact, readVariable } from "../../shared/templates/variables.ts";

/** A message with its placeholders filled; complete only if nothing is missing or refused. */
export interface FilledMessage {
  readonly message: MessageRequest;
  /** Placeholders without a value, each once, up to as many as a refusal tells. */
  readonly missing: readonly string[];
  readonly issues: readonly Issue[];
}

export type Variables = Readonly<Record<string, unknown>>;

/** A message that is filled for many recipients. */
export interface PreparedMessage {
  /** Its placeholders. */
  readonly names: ReadonlySet<string>;
  readonly fill: (variables: Variables, contact: ContactFacts) => FilledMessage;
}

/** Longest text of a field once it is filled, in UTF-16 units: what the field of a request may have. */
const longest: { readonly [Field in RequestedField]?: number } = {
  message: maxFilledLength,
  mediaFilename: 255,
  payment: 2_048,
};
/** Of every other text: see `gatewayLimits`. */
const longestOfOthers = 1_024;

/**
 * Takes the texts of a message apart, to fill them for many recipients. Values are texts or numbers; null and
 * blank texts count as missing; `nome` and `telefone` fall back to the contact's. The length of a text is
 * computed before it is filled; one that would be too long is an issue, and not filled.
 */
export function prepareFilling(message: MessageRequest): PreparedMessage {
  const texts = new Map<string, FillableText>();
  mapTexts(message, (text) => {
    if (!texts.has(text)) texts.set(text, new FillableText(text));
    return text;
  });
  const names = new Set([...texts.values()].flatMap((text) => [...text.names]));
  const fill: PreparedMessage["fill"] = (variables, contact) => {
    const issues: Issue[] = [];
    const { values, missing } = readValues(names, variables, contact, issues);
    if (missing.length > 0 || issues.length > 0) return { message, missing, issues };
    const filled = mapTexts(message, (text, field) => {
      const max = longest[field] ?? longestOfOthers;
      const words = texts.get(text)?.fill(values, max) ?? null;
      if (words !== null) return words;
      issues.push({ path: field, message: `is longer than ${max} characters once it is filled` });
      return text;
    });
    return { message: filled, missing, issues };
  };
  return { names, fill };
}

/** The values of placeholders for a recipient, and the names of those that have none: see `prepareFilling`. */
export function readValues(
  names: ReadonlySet<string>,
  variables: Variables,
  contact: ContactFacts,
  issues: Issue[],
): { readonly values: ReadonlyMap<string, string>; readonly missing: readonly string[] } {
  const values = new Map<string, string>();
  const missing: string[] = [];
  for (const name of names) {
    const value = readVariable(variables, name, (issue) => issues.push(issue)) ??
      findContactFact(contact, name);
    if (value === undefined) missing.push(name);
    else values.set(name, value);
    if (missing.length + issues.length >= maxIssues) break;
  }
  return { values, missing };
}
