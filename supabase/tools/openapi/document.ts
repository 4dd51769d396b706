import type { Operation, Tag } from "../../../shared/openapi/operation.ts";
import type { ErrorCode } from "../../../shared/model/errors.ts";
import {
  type Deprecation,
  deprecations as contractDeprecations,
  findDeprecations,
} from "../../../shared/model/deprecations.ts";
import { markDeprecated } from "./deprecated_parts.ts";
import { describeErrorExamples, listRefusals, writeErrorTable } from "./error_responses.ts";
import { describeWebhooks } from "./event_webhooks.ts";
import type { JsonObject } from "./json_schema.ts";
import { describeOperation, ignoredFieldsSchema } from "./operation_object.ts";
import { rateLimitHeaderComponents } from "./rate_limit_headers.ts";
import { contractDate } from "../../../shared/model/contract_date.ts";
import { version } from "../../../shared/model/version.ts";

/** The operations of every function, by the function's name. */
export type OperationsBySlug = ReadonlyMap<string, readonly Operation[]>;

/**
 * The path of an operation below `{base_url}`, with parameters in OpenAPI's notation. Omits an
 * optional parameter.
 */
export function toPathTemplate(slug: string, path: string): string {
  const below = path === "/" ? "" : path.replace(/\/:\w+\?$/, "").replaceAll(/:(\w+)/g, "{$1}");
  return `/functions/v1/${slug}${below}`;
}

/** The OpenAPI 3.1 document of all operations. */
export function composeDocument(
  operationsBySlug: OperationsBySlug,
  deprecations: readonly Deprecation[] = contractDeprecations,
): JsonObject {
  const paths: Record<string, JsonObject> = {};
  const { webhooks, schemas: eventSchemas } = describeWebhooks();
  const schemas: Record<string, JsonObject> = { Error: errorSchema, ...eventSchemas };
  const responses: Record<string, JsonObject> = {};
  const refusals = new Set<ErrorCode>();
  for (const [slug, operations] of sortForReading(operationsBySlug)) {
    for (const operation of operations) {
      const described = describeOperation(operation);
      markDeprecated(described, findDeprecations(deprecations, slug, operation));
      const path = toPathTemplate(slug, operation.path);
      paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described.operation };
      Object.assign(schemas, described.schemas);
      Object.assign(responses, described.refusals);
      for (const code of listRefusals(operation)) refusals.add(code);
    }
  }
  const used = new Set([...operationsBySlug.values()].flat().map(({ tag }) => tag));
  return {
    openapi: "3.1.0",
    info: describeService(refusals),
    servers: [{
      url: "{base_url}",
      description: "Base URL of the service.",
      variables: {
        base_url: {
          default: "http://127.0.0.1:54321",
          description:
            "The local stack; on the hosted platform `https://<project>.supabase.co` or the project's own domain.",
        },
      },
    }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    webhooks,
    components: {
      securitySchemes,
      parameters,
      headers,
      responses,
      examples: describeErrorExamples(refusals),
      schemas,
    },
  };
}

/** The functions that readers look for first. The others follow by name. */
const readingOrder = ["send-message", "send-template-message", "messages-context", "messages-api"];

function sortForReading(operationsBySlug: OperationsBySlug): [string, readonly Operation[]][] {
  const rank = (slug: string): string => {
    const index = readingOrder.indexOf(slug);
    return index < 0 ? `z${slug}` : `a${index}`;
  };
  return [...operationsBySlug].sort(([a], [b]) => rank(a) < rank(b) ? -1 : 1);
}

function describeService(refusals: ReadonlySet<ErrorCode>): JsonObject {
  return {
    title: "Messaging Integration API",
    version,
    description:
      `${introduction}\n\n## Errors\n\n${errorIntroduction}\n\n<details>\n<summary>All errors</summary>\n\n${
        writeErrorTable(refusals)
      }\n\n</details>`,
    license: { name: "MIT", identifier: "MIT" },
  };
}

const introduction =
  `Lets an external system drive a business messaging channel: contacts, conversations, messages, history, templates and the AI agent.

A channel connection is an *instance*. \`instanceId\` is accepted in three forms: the UUID, the business instance id, the embed key (\`emb_...\`). Phone numbers are digits with country code, without \`+\` or separators.

Every response is JSON, but for files themselves, and has an \`X-Request-Id\`. POST operations accept an \`Idempotency-Key\`: for 24 hours the same key with the same body returns the first response again, with \`Idempotent-Replayed: true\`. There are two exceptions. After an error with \`retryable\` = true, the same key makes another attempt to send the same message. When an unknown outcome has become known, or the message was canceled, the response shows the current state. A body has at most 256 KiB.

Unknown fields are ignored; the response lists them in \`ignoredFields\`, which is absent when there are none. \`null\` in an optional field means that the field is not set. In a contact's text fields and in \`customLabels\`, \`null\` clears the value. Other fields that accept \`null\` describe its meaning. An integer field rounds fractions up.`;

const errorIntroduction =
  `An error response has \`success\` = false, a stable code in \`error\` and a sentence for display in \`message\`; \`docs\` is the URL of the page that says what the code means, what to do about it, and who can. \`issues\` lists all invalid fields of a request. An unknown path returns 404 \`not_found\`, an unsupported method 405 \`method_not_allowed\` with \`Allow\`.`;

const tags: readonly { readonly name: Tag; readonly description: string }[] = [
  {
    name: "Messages",
    description: "Send, queue and schedule messages; read their status and history.",
  },
  { name: "Media", description: "Upload files, and read those of messages." },
  { name: "Contacts", description: "Create and update contacts and manage their tags." },
  { name: "Conversations", description: "Assign conversations, change their status, add notes." },
  { name: "Batches", description: "Write to a list of people through the paced queue." },
  { name: "Events", description: "Read what became true of messages, contacts and conversations." },
  { name: "AI agent", description: "Start conversations with the AI agent." },
  { name: "Phone numbers", description: "Remove formatting from phone numbers." },
  { name: "Webhooks", description: "Receive the providers' events." },
  {
    name: "Administration",
    description: "Manage tenants and their records. Requires the secret key.",
  },
  {
    name: "Connection page",
    description: "What the page asks on which the owner of a phone connects it.",
  },
  { name: "Dispatcher", description: "Process the queue. Called by cron." },
  { name: "Reference", description: "This document." },
];

const securitySchemes = {
  ClientToken: {
    type: "apiKey",
    in: "header",
    name: "X-Client-Token",
    description: "The instance's token. It is valid for exactly one instance.",
  },
  SecretKey: {
    type: "apiKey",
    in: "header",
    name: "apikey",
    description: "One of the project's secret keys.",
  },
};

// Has no example, because viewers would send it, and a repeated key returns the first response.
const parameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "1 to 255 visible ASCII characters, quoted or unquoted, chosen by the caller, such as `order-4711-confirmation`. A repeated call with the same body returns the first response again.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description: "Returned in the response and written to the log. Generated when omitted.",
    schema: { type: "string", maxLength: 128, pattern: "^[\\w\\-=]+$" },
  },
};

const headers = {
  "X-Request-Id": {
    description: "Identifies this request in the service's log.",
    schema: { type: "string" },
    example: "crm-20261123-0001",
  },
  "X-Api-Version": {
    description: "The contract's date: since that day it is as it is.",
    schema: { type: "string", format: "date" },
    example: contractDate,
  },
  "Idempotent-Replayed": {
    description: "`true` when this is the stored response of an earlier request with the same key.",
    schema: { type: "string", enum: ["true"] },
  },
  ...rateLimitHeaderComponents,
  "Retry-After": {
    description: "Seconds to wait before retrying.",
    schema: { type: "integer" },
    example: 1,
  },
};

const errorSchema: JsonObject = {
  type: "object",
  description: "An error response.",
  required: ["success", "error", "message", "docs"],
  properties: {
    success: { type: "boolean", const: false, description: "Always false." },
    error: { type: "string", description: "Stable error code." },
    message: { type: "string", description: "One sentence that a person can act on." },
    docs: {
      type: "string",
      format: "uri",
      description: "Where the code is explained: what it means, what to do, and who can.",
    },
    issues: {
      type: "array",
      description: "All invalid fields of the request.",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: {
          path: { type: "string", description: "Dotted path of the field in the request." },
          message: { type: "string", description: "Why the field is invalid." },
        },
      },
    },
    missing: {
      type: "array",
      description: "Names of the missing variables; with `missing_variables`.",
      items: { type: "string" },
    },
    ignoredFields: ignoredFieldsSchema,
    requestId: { type: "string", description: "The request's id; with `internal_error`." },
  },
};
