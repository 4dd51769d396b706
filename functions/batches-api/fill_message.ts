import type { ContactFacts } from "../../shared/database/rpcs/templates.ts";
import type { Issue } from "../../shared/model/errors.ts";
import type { MessageRequest } from "../../shared/model/message_request.ts";
import { fillText, listPlaceholders } from "../../shared/model/placeholders.ts";

/** A message with its placeholders filled; complete only if nothing is missing or refused. */
export interface FilledMessage {
  readonly message: MessageRequest;
  /** Placeholders without a value, each once. */
  readonly missing: readonly string[];
  readonly issues: readonly Issue[];
}

type Variables = Readonly<Record<string, unknown>>;

/** The names between double braces in a message's texts, each once. */
export function listVariables(message: MessageRequest): string[] {
  return listPlaceholders(listTexts(message).join("\n"));
}

/**
 * Fills the texts of a message: its words, its file's name and its options. Values are texts or numbers;
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
  for (const name of listVariables(message)) {
    const value = readValue(variables, name);
    if (value === "refused") {
      issues.push({ path: `variables.${name}`, message: "must be a text or a number" });
    } else {
      const text = value ?? findFact(contact, name);
      if (text === undefined) missing.push(name);
      else values.set(name, text);
    }
  }
  return { message: fillTexts(message, values), missing, issues };
}

function readValue(variables: Variables, name: string): string | undefined | "refused" {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return "refused";
  return value.trim() === "" ? undefined : value;
}

function findFact(contact: ContactFacts, name: string): string | undefined {
  if (name === "telefone") return contact.phone ?? undefined;
  if (name !== "nome") return undefined;
  const oneLine = (contact.name ?? "").replace(/\s+/g, " ").trim();
  return oneLine === "" ? undefined : oneLine;
}

function listTexts({ message, mediaFilename, optionList }: MessageRequest): string[] {
  const options = optionList === undefined ? [] : [
    ...[optionList.title, optionList.buttonLabel],
    ...optionList.options.flatMap(({ title, description }) => [title, description]),
  ];
  return [message, mediaFilename, ...options].filter((text) => text !== undefined);
}

function fillTexts(request: MessageRequest, values: ReadonlyMap<string, string>): MessageRequest {
  const fill = (text: string): string => fillText(text, values);
  const { message, mediaFilename, optionList } = request;
  return {
    ...request,
    ...(message === undefined ? {} : { message: fill(message) }),
    ...(mediaFilename === undefined ? {} : { mediaFilename: fill(mediaFilename) }),
    ...(optionList === undefined ? {} : {
      optionList: {
        title: fill(optionList.title),
        buttonLabel: fill(optionList.buttonLabel),
        options: optionList.options.map(({ id, title, description }) => ({
          ...(id === undefined ? {} : { id }),
          title: fill(title),
          ...(description === undefined ? {} : { description: fill(description) }),
        })),
      },
    }),
  };
}
