/** What an operation of the node does beside the OpenAPI document. */

import { type Operation, sentBy, type SentField } from "./descriptions.ts";

interface Schema {
  readonly $ref?: string;
  readonly const?: string;
  readonly enum?: readonly (string | null)[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface DocumentedOperation {
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Fields that no parameter has: the node fills them in itself. */
const filledIn = ["instanceId", "initiateConversation", "limit", "cursor"];

/** The path that is called, with its parts as the document names them. */
function toPath(url: string): string {
  return `/functions/v1${url.replace(/^=/, "").replace(/\{\{.*?\}\}/g, "{}")}`;
}

/** A field that the API takes. */
interface Field {
  /** Whether every form of the call needs it. */
  readonly isRequired: boolean;
  /** The words that it may be; empty where it may be another value too. */
  readonly words: readonly string[];
}

/**
 * Fields that the API does not take, fields that it wants and no parameter gives, and lists of choices that are
 * not those of the API.
 */
export function findUnknownParts(document: Document, operation: Operation): string[] {
  const { method = "", url = "" } = operation.routing.request ?? {};
  const title = `${operation.resource} ${operation.operation}`;
  const [, path] = Object.entries(document.paths)
    .find(([name]) => name.replace(/\{\w+\}/g, "{}") === toPath(url)) ?? [];
  const documented = path?.[method.toLowerCase()];
  if (documented === undefined) return [`${title}: ${method} ${toPath(url)} is not documented`];
  const fields = listFields(document, documented);
  const sent = operation.parameters.flatMap(sentBy);
  const unknown = sent.filter(({ name, type }) =>
    !isDynamic(name) && !fields.has(`${type} ${rootOf(name)}`)
  );
  const given = new Set(sent.map(({ name }) => rootOf(name)));
  const missing = [...fields].filter(([field, { isRequired }]) =>
    isRequired && !given.has(nameOf(field)) && !filledIn.includes(nameOf(field))
  );
  return [
    ...unknown.map(({ name }) => `${title}: the API has no ${name}`),
    ...sent.flatMap((field) =>
      findOtherChoices(fields, field).map((fault) => `${title}: ${fault}`)
    ),
    // A file is sent as a form, and an upload by its URL is an operation of its own.
    ...(operation.resource === "media" && operation.operation === "upload"
      ? []
      : missing.map(([field]) => `${title}: lacks ${nameOf(field)}`)),
  ];
}

function findOtherChoices(
  fields: ReadonlyMap<string, Field>,
  { name, type, choices }: SentField,
): string[] {
  const words = new Set(fields.get(`${type} ${name}`)?.words);
  if (choices === undefined || words.size === 0) return [];
  return [...words.symmetricDifference(new Set(choices))]
    .map((word) => words.has(word) ? `${name} lacks ${word}` : `${name} cannot be ${word}`);
}

/** A name that an expression makes from the message's type. */
function isDynamic(name: string): boolean {
  return name.startsWith("=");
}

function rootOf(name: string): string {
  return name.split(".")[0] ?? name;
}

function nameOf(field: string): string {
  return field.split(" ")[1] ?? "";
}

/** The fields by place and name. */
function listFields(document: Document, operation: DocumentedOperation): Map<string, Field> {
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === "query")
    .map(({ name, required, schema = {} }) =>
      [`query ${name}`, { isRequired: required === true, words: wordsOf(schema) }] as const
    );
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const body = schema === undefined ? [] : readFields(document, schema);
  return new Map([
    ...query,
    ...[...body].map(([name, field]) => [`body ${name}`, field] as const),
  ]);
}

function readFields(document: Document, schema: Schema): Map<string, Field> {
  const name = schema.$ref?.split("/").at(-1);
  if (name !== undefined) return readFields(document, document.components.schemas[name] ?? {});
  const forms = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map((form) =>
    readFields(document, form)
  );
  const found = new Map(
    Object.entries(schema.properties ?? {}).map(([field, member]) => [field, {
      isRequired: schema.required?.includes(field) === true,
      words: wordsOf(member),
    }]),
  );
  for (const form of forms) {
    for (const [field, { words }] of form) {
      const known = found.get(field);
      found.set(field, {
        isRequired: known?.isRequired === true ||
          forms.every((other) => other.get(field)?.isRequired === true),
        words: [...known?.words ?? [], ...words],
      });
    }
  }
  return found;
}

function wordsOf(schema: Schema): string[] {
  const words = schema.const === undefined ? schema.enum ?? [] : [schema.const];
  return words.filter((word) => word !== null);
}
