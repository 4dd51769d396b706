import type { Operation } from "../../../shared/contract/operation.ts";
import { type ErrorCode, listErrors } from "../../../shared/errors.ts";
import type { JsonObject } from "./json_schema.ts";

const errors = listErrors();

/** Everything that an operation may be refused with: its own codes and those of its manners. */
export function listRefusals(operation: Operation): ErrorCode[] {
  const { access, body, query, isIdempotent, errors: own } = operation;
  const isWritten = body !== undefined;
  const codes = new Set<ErrorCode>([
    ...(access === "clientToken" ? clientTokenCodes : []),
    ...(access === "secretKey" ? ["invalid_secret_key"] as const : []),
    ...(isWritten ? bodyCodes : []),
    ...(isWritten || query !== undefined || isIdempotent ? ["invalid_request"] as const : []),
    ...(isIdempotent ? idempotencyCodes : []),
    "internal_error",
    ...own,
  ]);
  return errors.map(({ code }) => code).filter((code) => codes.has(code));
}

const clientTokenCodes = [
  ...["missing_client_token", "invalid_client_token"] as const,
  ...["Instance not found", "service_unavailable"] as const,
] as const;
const bodyCodes = ["invalid_json", "payload_too_large", "unsupported_media_type"] as const;
const idempotencyCodes = ["idempotency_key_in_progress", "idempotency_key_reused"] as const;

/** The `responses` of an operation's refusals, one per status. */
export function describeRefusals(operation: Operation, failureSchema?: string): JsonObject {
  const byStatus = Map.groupBy(
    listRefusals(operation),
    (code) => errors.find((error) => error.code === code)?.status ?? 500,
  );
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(sorted.map(([status, codes]) => [
    String(status),
    describeStatus(status, codes, failureSchema),
  ]));
}

function describeStatus(
  status: number,
  codes: readonly ErrorCode[],
  failureSchema: string | undefined,
): JsonObject {
  const isProviders = codes.some((code) => providerCodes.has(code));
  const base = isProviders && failureSchema !== undefined ? failureSchema : "Error";
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
      ...(status === 503 ? { "Retry-After": { $ref: "#/components/headers/Retry-After" } } : {}),
    },
    content: {
      "application/json": {
        schema: {
          allOf: [{ $ref: `#/components/schemas/${base}` }],
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

/** Refusals that may carry what the provider said. */
const providerCodes: ReadonlySet<ErrorCode> = new Set([
  "outside_conversation_window",
  "provider_send_failed",
  "provider_outcome_unknown",
]);

/** `components.examples`: each refusal as it is answered. */
export function describeErrorExamples(used: ReadonlySet<ErrorCode>): JsonObject {
  return Object.fromEntries(
    errors.filter(({ code }) => used.has(code)).map(({ code, message }) => [
      toComponentName(code),
      { summary: message, value: { success: false, error: code, message, ...extras[code] } },
    ]),
  );
}

const extras: { readonly [Code in ErrorCode]?: JsonObject } = {
  invalid_request: {
    issues: [{ path: "messageType", message: "is required when something is to be sent" }],
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
  provider_outcome_unknown: {
    details: { reason: "no answer within 20 s" },
    retryable: false,
  },
};

/** A code as the name of a component: `Instance not found` is `Instance_not_found`. */
export function toComponentName(code: string): string {
  return code.replace(/[^A-Za-z0-9._-]+/g, "_");
}

/** All codes as a table in Markdown. */
export function writeErrorTable(): string {
  const rows = [...errors].sort((a, b) => a.status - b.status)
    .map(({ code, status, message }) => `| ${status} | \`${code}\` | ${message} |`);
  return ["| Status | `error` | Meaning |", "|---|---|---|", ...rows].join("\n");
}
