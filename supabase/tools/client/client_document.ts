/** What of the OpenAPI document the TypeScript client is generated from. */

/** A part of the document. */
// deno-lint-ignore no-explicit-any -- the document's form is OpenAPI's
export type Part = any;

/** An operation that the client has a method for. */
export interface ClientOperation {
  /** The function that answers it: `send-message`. */
  readonly slug: string;
  readonly operationId: string;
  /** In capitals. */
  readonly method: string;
  /** Below `/functions/v1/`, with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly deprecated?: boolean | undefined;
  /** Names of the path's parameters. */
  readonly pathParameters: readonly string[];
  /** Whether a call has a body; `file`: a form with a file, or JSON. */
  readonly body: "none" | "optional" | "required" | "file";
  readonly query: "none" | "optional" | "required";
  /** `page`: an answer with items and a cursor; `response`: no JSON. */
  readonly answer: "json" | "page" | "response";
}

/** Functions that no client calls: a schedule, providers, monitoring and browsers do. */
const skippedFunctions = [
  ...["api-docs", "connect", "dispatch-queue", "mcp", "metrics", "provider-webhook"],
];
/** Opened from links, which hold their whole address. */
const skippedOperations = ["followMediaLink"];
const base = "/functions/v1/";
const methods = ["get", "post", "put", "patch", "delete"] as const;

/** The operations of the document that the client offers, in its order. */
export function listClientOperations(document: Part): ClientOperation[] {
  return Object.entries<Part>(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined || !isOffered(path, operation)) return [];
      return [describeOperation(document, path.slice(base.length), method, operation)];
    })
  );
}

function isOffered(path: string, { operationId }: Part): boolean {
  const slug = path.slice(base.length).split("/")[0] ?? "";
  return path.startsWith(base) && !skippedFunctions.includes(slug) &&
    !skippedOperations.includes(operationId);
}

function describeOperation(
  document: Part,
  path: string,
  method: string,
  operation: Part,
): ClientOperation {
  const parameters = (operation.parameters ?? []).map((part: Part) => resolve(document, part));
  const named = (place: string): Part[] => parameters.filter((part: Part) => part.in === place);
  const query = named("query");
  const body = describeBody(resolve(document, operation.requestBody));
  return {
    slug: path.split("/")[0] ?? "",
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    deprecated: operation.deprecated,
    pathParameters: named("path").map(({ name }) => name),
    body,
    // Beside a body the query only names the instance, which the token does.
    query: query.length === 0 || body !== "none"
      ? "none"
      : query.some(({ required }) => required === true)
      ? "required"
      : "optional",
    answer: describeAnswer(document, operation),
  };
}

function describeBody(body: Part): ClientOperation["body"] {
  if (body === undefined) return "none";
  if ("multipart/form-data" in body.content) return "file";
  return body.required === true ? "required" : "optional";
}

function describeAnswer(document: Part, operation: Part): ClientOperation["answer"] {
  const schema = successOf(document, operation)?.content?.["application/json"]?.schema;
  if (schema === undefined) return "response";
  const properties = resolve(document, schema).properties ?? {};
  const isList = operation.parameters?.some((part: Part) =>
    resolve(document, part).name === "cursor"
  );
  return isList && "items" in properties && "nextCursor" in properties ? "page" : "json";
}

/** The answer of a successful call. Of two, that which has made something: a dry run answers 200. */
function successOf(document: Part, operation: Part): Part {
  const [, answer] =
    Object.entries<Part>(operation.responses).findLast(([status]) => status.startsWith("2")) ?? [];
  return resolve(document, answer);
}

/** Follows a reference within the document. */
export function resolve(document: Part, part: Part): Part {
  if (part?.$ref === undefined) return part;
  const names: string[] = part.$ref.slice(2).split("/");
  return names.reduce((found, name) => found[name.replaceAll("~1", "/")], document);
}

/**
 * The document with what the client's types need: no headers, no examples, no errors, and of each answer
 * what a successful call has.
 */
export function reduceDocument(document: Part): Part {
  const offered = new Set(listClientOperations(document).map(({ operationId }) => operationId));
  const paths = Object.entries<Part>(document.paths).map(([path, item]) => {
    const kept = methods.filter((method) => offered.has(item[method]?.operationId));
    return [path, Object.fromEntries(kept.map((m) => [m, reduceOperation(document, item[m])]))];
  });
  const webhooks = Object.entries<Part>(document.webhooks).map(([type, { post }]) => [
    type,
    {
      post: {
        operationId: post.operationId,
        requestBody: narrowEvent(document, post),
        responses: {},
      },
    },
  ]);
  return {
    openapi: document.openapi,
    info: document.info,
    paths: Object.fromEntries(paths),
    webhooks: Object.fromEntries(webhooks),
    components: { schemas: document.components.schemas },
  };
}

/** The event with the data of its type alone: of both, a type would take any field. */
function narrowEvent(document: Part, { requestBody }: Part): Part {
  const { schema } = requestBody.content["application/json"];
  const [base] = (schema.allOf ?? []).map((part: Part) => resolve(document, part));
  const properties = { ...base?.properties, ...schema.properties };
  const narrowed = { type: "object", required: base?.required ?? [], properties };
  return { required: true, content: { "application/json": { schema: narrowed } } };
}

function reduceOperation(document: Part, operation: Part): Part {
  const parameters = (operation.parameters ?? []).map((part: Part) => resolve(document, part))
    .filter((part: Part) => part.in !== "header");
  const success = successOf(document, operation);
  const responses = success === undefined
    ? {}
    : { 200: { description: success.description, content: withoutExamples(success.content) } };
  const body = resolve(document, operation.requestBody);
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    ...(operation.deprecated === true ? { deprecated: true } : {}),
    parameters,
    responses,
    ...(body === undefined
      ? {}
      : { requestBody: { required: body.required, content: withoutExamples(body.content) } }),
  };
}

function withoutExamples(content: Part): Part {
  return Object.fromEntries(
    Object.entries<Part>(content ?? {}).map(([type, { schema }]) => [type, { schema }]),
  );
}

/** Every error code of the document, sorted. */
export function listErrorCodes(document: Part): string[] {
  const codes = Object.values<Part>(document.components.responses).flatMap((answer) => {
    const schema = answer.content?.["application/json"]?.schema;
    return codesOf(schema);
  });
  return [...new Set(codes)].sort();
}

function codesOf(schema: Part): string[] {
  if (schema === undefined || schema === null || typeof schema !== "object") return [];
  const { enum: several, const: one } = schema.properties?.error ?? {};
  const parts = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return [...(several ?? []), ...(one === undefined ? [] : [one]), ...parts.flatMap(codesOf)];
}
