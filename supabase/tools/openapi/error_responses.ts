import type { Operation } from "../../../shared/openapi/operation.ts";
import { type ErrorCode, listErrors } from "../../../shared/model/errors.ts";
import { errorDocsUrl } from "../../../shared/runtime/docs_address.ts";
import { answeredMeanings } from "../../../shared/model/refusal_meaning.ts";
import type { JsonObject } from "./json_schema.ts";
import { rateLimitHeaders } from "./rate_limit_headers.ts";

const errors = listErrors();

/** Returns all error codes of an operation: its own and those of the HTTP conventions. */
export function listRefusals(operation: Operation): ErrorCode[] {
  const { access, body, foreignBody, ignoresParameters, query, isIdempotent, errors: own } =
    operation;
  const isWritten = body !== undefined;
  const codes = new Set<ErrorCode>([
    ...(access === "clientToken" ? clientTokenCodes : []),
    ...(access === "secretKey" ? ["invalid_secret_key"] as const : []),
    ...(isWritten ? bodyCodes : []),
    ...(foreignBody === undefined ? [] : foreignBodyCodes),
    // Of an operation that ignores unknown parameters, only known ones can be invalid.
    ...(isWritten || query !== undefined || isIdempotent || ignoresParameters !== true
      ? ["invalid_request"] as const
      : []),
    ...(isIdempotent ? idempotencyCodes : []),
    "internal_error",
    ...own,
    // A contactId may be of a contact that was erased.
    ...(own.includes("contact_not_found") ? ["contact_erased"] as const : []),
  ]);
  return errors.map(({ code }) => code).filter((code) => codes.has(code));
}

/** Error codes of the HTTP conventions, which can occur before the handler runs. */
const clientTokenCodes = [
  ...["missing_client_token", "invalid_client_token", "insufficient_scope"] as const,
  ...["Instance not found", "rate_limited", "service_unavailable"] as const,
] as const;
const foreignBodyCodes = ["invalid_json", "payload_too_large", "request_timeout"] as const;
const bodyCodes = [...foreignBodyCodes, "unsupported_media_type"] as const;
const idempotencyCodes = ["idempotency_key_in_progress", "idempotency_key_reused"] as const;

/** The error responses of an operation: a reference by status, and the referenced components. */
export interface DescribedRefusals {
  readonly responses: JsonObject;
  readonly components: Readonly<Record<string, JsonObject>>;
}

/** Describes an operation's errors, one response per status. Operations share equal responses. */
export function describeRefusals(operation: Operation, failureSchema?: string): DescribedRefusals {
  const byStatus = Map.groupBy(
    listRefusals(operation),
    (code) => errors.find((error) => error.code === code)?.status ?? 500,
  );
  const responses: JsonObject = {};
  const components: Record<string, JsonObject> = {};
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    const isProviders = codes.some((code) => providerCodes.has(code));
    const schema = isProviders && failureSchema !== undefined ? failureSchema : "Error";
    const parts = [status, ...(schema === "Error" ? [] : [schema]), ...codes.map(toComponentName)];
    const name = parts.join(".");
    responses[status] = { $ref: `#/components/responses/${name}` };
    components[name] = describeStatus(status, codes, schema);
  }
  return { responses, components };
}

function describeStatus(status: number, codes: readonly ErrorCode[], schema: string): JsonObject {
  const retryAfter = { "Retry-After": { $ref: "#/components/headers/Retry-After" } };
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
      "X-Api-Version": { $ref: "#/components/headers/X-Api-Version" },
      ...(codes.some((code) => retryAfterCodes.has(code)) ? retryAfter : {}),
      ...(status === 429 ? rateLimitHeaders : {}),
    },
    content: {
      "application/json": {
        schema: {
          allOf: [{ $ref: `#/components/schemas/${schema}` }],
          properties: { error: { enum: codes } },
        },
        examples: Object.fromEntries(codes.map((code) => [
          toComponentName(code),
          { $ref: `#/components/examples/${toComponentName(code)}` },
        ])),
      },
    },
  };
}

/** Errors with `Retry-After`. A provider's error has it where the provider sent it. */
const retryAfterCodes: ReadonlySet<ErrorCode> = new Set([
  "rate_limited",
  "service_unavailable",
  "idempotency_key_in_progress",
  "provider_send_failed",
  "provider_template_send_failed",
]);

/** Errors that may contain the provider's error. */
const providerCodes: ReadonlySet<ErrorCode> = new Set([
  ...answeredMeanings,
  "provider_send_failed",
  "provider_template_send_failed",
  "provider_outcome_unknown",
]);

/** `components.examples`: the body of each error. */
export function describeErrorExamples(used: ReadonlySet<ErrorCode>): JsonObject {
  return Object.fromEntries(
    errors.filter(({ code }) => used.has(code)).map(({ code, message }) => [
      toComponentName(code),
      {
        summary: code,
        value: {
          ...{ success: false, error: code, message, docs: errorDocsUrl(code) },
          ...extras[code],
        },
      },
    ]),
  );
}

const extras: { readonly [Code in ErrorCode]?: JsonObject } = {
  invalid_request: {
    issues: [{ path: "messageType", message: "is required when there is content to send" }],
  },
  invalid_phone: {
    issues: [{
      path: "phone",
      message: "must be 8 to 15 digits with country code, without + or separators",
    }],
  },
  already_exists: { issues: [{ path: "email", message: "is taken by another record" }] },
  internal_error: { requestId: "0f4d2c1b-6a59-4e8d-9c3f-7b2a1d0e5f68" },
  provider_send_failed: {
    details: { code: "131026", message: "Message undeliverable" },
    retryable: false,
  },
  missing_variables: { missing: ["pedido"] },
  provider_template_send_failed: {
    details: { code: "132001", message: "Template name does not exist in the translation" },
    retryable: false,
  },
  provider_outcome_unknown: {
    details: { reason: "no answer within 20 s" },
    retryable: false,
  },
};

/** Converts a code to a component's name: `Instance not found` gives `Instance_not_found`. */
function toComponentName(code: string): string {
  return code.replace(/[^A-Za-z0-9._-]+/g, "_");
}

/** Errors of no operation: for an unknown path or method. */
const everywhere: readonly ErrorCode[] = ["not_found", "method_not_allowed"];

/** Renders a Markdown table of all codes: those of the operations and the general ones. */
export function writeErrorTable(used: ReadonlySet<ErrorCode>): string {
  const rows = errors.filter(({ code }) => used.has(code) || everywhere.includes(code))
    .sort((a, b) => a.status - b.status)
    .map(({ code, status, message }) => `| ${status} | \`${code}\` | ${message} |`);
  return ["| Status | `error` | Meaning |", "|---|---|---|", ...rows].join("\n");
}
