/** Names the client's methods, and writes them as TypeScript. */

import type { ClientOperation } from "./client_document.ts";

/** A member of the client: `client.messages`. */
interface Group {
  readonly name: string;
  /** Words of operation ids that the group's name already says. */
  readonly nouns: readonly string[];
}

const groups: Readonly<Record<string, Group>> = {
  "send-message": { name: "messages", nouns: ["Messages", "Message"] },
  "send-template-message": { name: "messages", nouns: ["Messages", "Message"] },
  "messages-api": { name: "messages", nouns: ["Messages", "Message", "Instance"] },
  "messages-context": { name: "messages", nouns: ["Message"] },
  "contacts-api": { name: "contacts", nouns: ["Contacts", "Contact"] },
  "conversations-api": {
    name: "conversations",
    nouns: ["Conversations", "Conversation", "Internal"],
  },
  "events-api": { name: "events", nouns: ["Events"] },
  "media-api": { name: "media", nouns: ["Media"] },
  "batches-api": { name: "batches", nouns: ["OfBatch", "Batches", "Batch"] },
  "process-ai-agent": { name: "agent", nouns: ["AiAgent"] },
  "sanitize-phone-number": { name: "phoneNumbers", nouns: ["PhoneNumber"] },
  "admin-api": { name: "admin", nouns: [] },
};

/** Parts of a function that have a group of their own, by the beginning of their path. */
const parts: Readonly<Record<string, Group>> = {
  "messages-api/questions": { name: "questions", nouns: ["Questions", "Question"] },
  "messages-api/payments": { name: "payments", nouns: ["Payments", "Payment"] },
};

/** Where the rule would give two operations one name. */
const names: Readonly<Record<string, string>> = { cancelMessages: "cancelByKey" };

/** An operation with its place in the client. */
export interface NamedOperation extends ClientOperation {
  readonly group: string;
  /** The method's name in its group. */
  readonly name: string;
}

/** Gives each operation its place: a new function has a group of its own name. */
export function nameOperations(operations: readonly ClientOperation[]): NamedOperation[] {
  const taken = new Set<string>();
  return operations.map((operation) => {
    const { operationId, slug, path } = operation;
    const part = parts[path.split("/").slice(0, 2).join("/")];
    const group = part ?? groups[slug] ??
      { name: toCamelCase(slug.replace(/-api$/, "")), nouns: [] };
    const short = names[operationId] ?? withoutNouns(operationId, group.nouns);
    const name = taken.has(`${group.name}.${short}`) ? operationId : short;
    taken.add(`${group.name}.${name}`);
    return { ...operation, group: group.name, name };
  });
}

function withoutNouns(operationId: string, nouns: readonly string[]): string {
  const noun = nouns.find((word) => operationId.includes(word));
  const rest = noun === undefined ? operationId : operationId.replace(noun, "");
  return rest === "" ? operationId : rest;
}

function toCamelCase(slug: string): string {
  return slug.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Writes the module with the client's methods: their types, and how each is called. */
export function writeMethods(
  operations: readonly ClientOperation[],
  errorCodes: readonly string[],
): string {
  const named = nameOperations(operations);
  const groupNames = [...new Set(named.map(({ group }) => group))];
  const inGroup = (name: string): NamedOperation[] => named.filter(({ group }) => group === name);
  return [
    "// Written by `deno task openapi` from the OpenAPI document. Do not edit.",
    "",
    'import type { Answer, Body, CallOptions, Page, Query } from "./types.ts";',
    "",
    ...groupNames.flatMap((name) => [
      `export interface ${typeName(name)} {`,
      ...inGroup(name).flatMap((operation) => writeMethod(operation)),
      "}",
      "",
    ]),
    "/** The client's methods, by group. */",
    "export interface Groups {",
    ...groupNames.map((name) => `  readonly ${name}: ${typeName(name)};`),
    "}",
    "",
    "/** Each method: its flags (b: body, q: query, p: page, r: response), HTTP method and path. */",
    "export const routes: Readonly<Record<keyof Groups, Readonly<Record<string, string>>>> = {",
    ...groupNames.flatMap((name) => [
      `  ${name}: {`,
      ...inGroup(name).map((operation) => `    ${operation.name}: "${writeRoute(operation)}",`),
      "  },",
    ]),
    "};",
    "",
    "/** Codes of refusals. A newer service may have others. */",
    "export type ErrorCode =",
    ...errorCodes.map((code, index) =>
      `  | ${JSON.stringify(code)}${index === errorCodes.length - 1 ? ";" : ""}`
    ),
    "",
  ].join("\n");
}

function typeName(group: string): string {
  return `${group.charAt(0).toUpperCase()}${group.slice(1)}Methods`;
}

function writeMethod(operation: NamedOperation): string[] {
  const { name, operationId, pathParameters, summary } = operation;
  const parameters = [
    ...pathParameters.map((parameter) => `${parameter}: string`),
    ...writeInput(operation),
    "options?: CallOptions",
  ];
  const deprecated = operation.deprecated === true ? " @deprecated See its description." : "";
  return [
    `  /** ${summary.replace(/\.?$/, ".")}${deprecated} */`,
    `  ${name}(${parameters.join(", ")}): ${writeAnswer(operation.answer, operationId)};`,
  ];
}

function writeInput({ body, query, operationId }: NamedOperation): string[] {
  if (body === "file") return [`file: Blob | FormData | Body<"${operationId}">`];
  if (body !== "none") return [`body${body === "optional" ? "?" : ""}: Body<"${operationId}">`];
  if (query === "none") return [];
  return [`query${query === "optional" ? "?" : ""}: Query<"${operationId}">`];
}

function writeAnswer(answer: ClientOperation["answer"], operationId: string): string {
  switch (answer) {
    case "page":
      return `Page<"${operationId}">`;
    case "json":
      return `Promise<Answer<"${operationId}">>`;
    case "response":
      return "Promise<Response>";
  }
}

function writeRoute({ body, query, answer, method, path }: NamedOperation): string {
  const input = body !== "none" ? "b" : query !== "none" ? "q" : "";
  const output = answer === "page" ? "p" : answer === "response" ? "r" : "";
  return `${input}${output} ${method} ${path}`;
}
