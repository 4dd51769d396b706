/** What an operation of the node does beside the OpenAPI document. */

import { type Operation, sentBy } from "./descriptions.ts";

interface Schema {
  readonly $ref?: string;
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

/** Fields that the API does not take, and fields that it wants and no parameter gives. */
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
  const missing = [...fields].filter(([field, isRequired]) =>
    isRequired && !given.has(nameOf(field)) && !filledIn.includes(nameOf(field))
  );
  return [
    ...unknown.map(({ name }) => `${title}: the API has no ${name}`),
    // A file is sent as a form, and an upload by its URL is an operation of its own.
    ...(operation.resource === "media" && operation.operation === "upload"
      ? []
      : missing.map(([field]) => `${title}: lacks ${nameOf(field)}`)),
  ];
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

/** The fields by place and name, and whether every form of the call needs them. */
function listFields(document: Document, operation: DocumentedOperation): Map<string, boolean> {
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === "query")
    .map(({ name, required }) => [`query ${name}`, required === true] as const);
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const body = schema === undefined ? [] : readFields(document, schema);
  return new Map([
    ...query,
    ...[...body].map(([name, needed]) => [`body ${name}`, needed] as const),
  ]);
}

function readFields(document: Document, schema: Schema): Map<string, boolean> {
  const name = schema.$ref?.split("/").at(-1);
  if (name !== undefined) return readFields(document, document.components.schemas[name] ?? {});
  const forms = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map((form) =>
    readFields(document, form)
  );
  const found = new Map(
    Object.keys(schema.properties ?? {}).map((
      field,
    ) => [field, schema.required?.includes(field) === true]),
  );
  for (const form of forms) {
    for (const field of form.keys()) {
      found.set(
        field,
        found.get(field) === true || forms.every((other) => other.get(field) === true),
      );
    }
  }
  return found;
}
