import { arrangeAnswer } from "../../../shared/model/arrange_answer.ts";
import type { Operation } from "../../../shared/openapi/operation.ts";
import { describeProperties } from "./described_properties.ts";
import { describeRefusals } from "./error_responses.ts";
import { type JsonObject, listProperties, toJsonSchema } from "./json_schema.ts";
import { nameSchemas } from "./named_schemas.ts";
import { takeAsGiven } from "./given_members.ts";
import { rateLimitHeaders } from "./rate_limit_headers.ts";

/** Names of what the request has in vain, in the response of every operation that names it. */
export const ignoredFieldsSchema: JsonObject = {
  type: "array",
  description:
    "Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none.",
  items: { type: "string" },
};

/** One operation of the document, with its components. */
export interface DescribedOperation {
  readonly operation: JsonObject;
  readonly schemas: Readonly<Record<string, JsonObject>>;
  readonly refusals: Readonly<Record<string, JsonObject>>;
}

/** Describes an operation. Its schemas are named after its `operationId`. */
export function describeOperation(operation: Operation): DescribedOperation {
  const name = capitalise(operation.operationId);
  const { body, success, failure } = operation;
  const named = {
    request: body === undefined ? undefined : `${name}Request`,
    response: success.schema && (success.schemaName ?? `${name}Response`),
    failure: failure === undefined ? undefined : `${name}Failure`,
  };
  const refusals = describeRefusals(operation, named.failure);
  const schemas: Record<string, JsonObject> = {};
  if (named.request && body) {
    const written = operation.documentedBody ?? body;
    Object.assign(
      schemas,
      nameSchemas(
        named.request,
        written,
        "input",
        (schema) =>
          takeAsGiven(
            withoutDefaults(describeProperties(operation.operationId, schema, operation.fields)),
          ),
      ),
    );
  }
  if (named.response && success.schema) {
    // Operations with and without a body share records.
    const namesIgnored = body !== undefined || success.schemaName !== undefined ||
      operation.ignoresParameters === true;
    Object.assign(
      schemas,
      nameSchemas(
        named.response,
        success.schema,
        "output",
        (schema) =>
          namesIgnored
            ? withIgnoredFields(describeProperties(operation.operationId, schema, operation.fields))
            : describeProperties(operation.operationId, schema, operation.fields),
      ),
    );
  }
  if (named.failure && failure) {
    const fields = describeProperties(
      operation.operationId,
      toJsonSchema(failure.partial(), "output"),
      operation.fields,
    );
    schemas[named.failure] = { allOf: [{ $ref: "#/components/schemas/Error" }, fields] };
  }
  return {
    operation: {
      operationId: operation.operationId,
      tags: [operation.tag],
      summary: operation.summary,
      description: operation.description,
      security: securityOf[operation.access],
      parameters: [...describeParameters(operation)],
      ...describeBody(operation, named.request),
      responses: {
        ...describeOtherSuccess(operation),
        [success.status ?? 200]: describeSuccess(operation, named.response),
        ...refusals.responses,
      },
    },
    schemas,
    refusals: refusals.components,
  };
}

const securityOf = {
  clientToken: [{ ClientToken: [] }],
  secretKey: [{ SecretKey: [] }],
  public: [],
} as const;

function* describeParameters(operation: Operation): Generator<JsonObject> {
  for (const [name, parameter] of Object.entries(operation.pathParameters ?? {})) {
    const { description, example, schema } = parameter;
    yield {
      name,
      in: "path",
      required: true,
      description,
      schema: schema === undefined
        ? { type: "string", format: "uuid" }
        : toJsonSchema(schema, "input"),
      example,
    };
  }
  if (operation.query !== undefined) yield* describeQuery(operation);
  if (operation.isIdempotent) yield { $ref: "#/components/parameters/IdempotencyKey" };
  yield { $ref: "#/components/parameters/RequestId" };
}

function* describeQuery(operation: Operation): Generator<JsonObject> {
  if (operation.query === undefined) return;
  const schema = describeProperties(
    operation.operationId,
    toJsonSchema(operation.query, "input"),
    operation.fields,
  );
  const required = (schema["required"] ?? []) as string[];
  const example = operation.examples[0]?.request ?? {};
  for (const { name, property } of listProperties(schema)) {
    const { description, ...rest } = property;
    yield {
      name,
      in: "query",
      required: required.includes(name),
      description,
      schema: rest,
      ...(name in example ? { example: example[name] } : {}),
    };
  }
}

function describeBody(operation: Operation, schema: string | undefined): JsonObject {
  const { foreignBody, fileField, isBodyOptional = false } = operation;
  if (schema === undefined && foreignBody === undefined) return {};
  const content = {
    "application/json": {
      schema: schema === undefined
        ? { type: "object" }
        : { $ref: `#/components/schemas/${schema}` },
      examples: listExamples(operation, "request"),
    },
    ...(fileField === undefined ? {} : { "multipart/form-data": { schema: toForm(fileField) } }),
  };
  return { requestBody: { description: foreignBody, required: !isBodyOptional, content } };
}

function toForm(fileField: string): JsonObject {
  const file = {
    type: "string",
    format: "binary",
    description: "The file, with its name and type where they are known.",
  };
  const instanceId = {
    type: "string",
    maxLength: 255,
    description: "The token's instance, in any of its forms. May be omitted.",
  };
  return {
    type: "object",
    required: [fileField],
    properties: { [fileField]: file, instanceId },
  };
}

function describeSuccess(operation: Operation, schema: string | undefined): JsonObject {
  const { description, status, mediaType = "application/json" } = operation.success;
  const replayed = operation.isIdempotent
    ? { "Idempotent-Replayed": { $ref: "#/components/headers/Idempotent-Replayed" } }
    : {};
  const headers = {
    "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
    "X-Api-Version": { $ref: "#/components/headers/X-Api-Version" },
    ...(operation.access === "clientToken" ? rateLimitHeaders : {}),
    ...replayed,
  };
  if (status === 304) return { description, headers };
  if (status === 302) return { description, headers: { ...headers, Location: locationHeader } };
  return {
    description,
    headers,
    content: {
      [mediaType]: {
        schema: schema === undefined
          ? { type: mediaType === "application/json" ? "object" : "string" }
          : { $ref: `#/components/schemas/${schema}` },
        ...(schema === undefined || operation.examples.length === 0
          ? {}
          : { examples: listExamples(operation, "response") }),
      },
    },
  };
}

/** Without examples: they stand at the operation that the schema belongs to. */
function describeOtherSuccess(operation: Operation): JsonObject {
  const { otherSuccess } = operation;
  if (otherSuccess === undefined) return {};
  const described = { ...operation, success: otherSuccess, examples: [] };
  return { [otherSuccess.status ?? 200]: describeSuccess(described, otherSuccess.schemaName) };
}

const locationHeader: JsonObject = {
  description: "Where it is.",
  schema: { type: "string", format: "uri" },
};

/** Answers have their members in the order of the schema, as the service writes them. */
function listExamples(operation: Operation, part: "request" | "response"): JsonObject {
  const { schema } = operation.success;
  const arrange = (value: unknown): unknown =>
    part === "request" || schema === undefined ? value : arrangeAnswer(schema, value);
  return Object.fromEntries(
    operation.examples.map(({ name, summary, [part]: value }) => [name, {
      summary,
      value: arrange(value),
    }]),
  );
}

/**
 * Describes a default in words, because code generators treat a property with `default` as always
 * present, even in a request.
 */
function withoutDefaults(schema: JsonObject): JsonObject {
  for (const { property } of listProperties(schema)) {
    const { default: value } = property;
    if (value === undefined) continue;
    delete property["default"];
    property["description"] = `${property["description"]} Default: \`${JSON.stringify(value)}\`.`;
  }
  return schema;
}

function withIgnoredFields(schema: JsonObject): JsonObject {
  const properties = schema["properties"] as JsonObject;
  return { ...schema, properties: { ...properties, ignoredFields: ignoredFieldsSchema } };
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
