import type { ContactFacts } from "../../shared/database/rpcs/templates.ts";
import type { Issue } from "../../shared/model/errors.ts";
import { mapTexts, type MessageRequest } from "../../shared/model/message_request.ts";
import { fillText, listPlaceholders } from "../../shared/model/placeholders.ts";
import { findContactFact, readVariable } from "../../shared/templates/variables.ts";

/** A message with its placeholders filled; complete only if nothing is missing or refused. */
export interface FilledMessage {
  readonly message: MessageRequest;
  /** Placeholders without a value, each once. */
  readonly missing: readonly string[];
  readonly issues: readonly Issue[];
}

type Variables = Readonly<Record<string, unknown>>;

/**
 * Fills the texts of a message. Values are texts or numbers;
 * null and blank texts count as missing; `nome` and `telefone` fall back to the contact's.
 */
export function fillMessage(
  message: MessageRequest,
  variables: Variables,
  contact: ContactFacts,
): FilledMessage {
  const values = new Map<string, string>();
  const missing: string[] = [];
  const issues: Issue[] = [];
  for (const name of listPlaceholders(listTexts(message).join("\n"))) {
    const value = readVariable(variables, name, (issue) => issues.push(issue)) ??
      findContactFact(contact, name);
    if (value === undefined) missing.push(name);
    else values.set(name, value);
  }
  return { message: mapTexts(message, (text) => fillText(text, values)), missing, issues };
}

function listTexts(message: MessageRequest): string[] {
  const texts: string[] = [];
  mapTexts(message, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}
