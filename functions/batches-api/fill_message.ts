import type { ContactFacts } from "../../shared/database/rpcs/templates.ts";
import type { Issue } from "../../shared/model/errors.ts";
import type { MessageRequest } from "../../shared/model/message_request.ts";
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
  for (const name of listPlaceholders(listTexts(message).join("\n"))) {
    const value = readVariable(variables, name, (issue) => issues.push(issue)) ??
      findContactFact(contact, name);
    if (value === undefined) missing.push(name);
    else values.set(name, value);
  }
  return { message: fillTexts(message, values), missing, issues };
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
