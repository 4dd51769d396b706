import type { ErrorCode } from "./methods.ts";

/** The service has refused a call. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** What the answer's body has besides, such as `messageId` of a message that could not be sent. */
  readonly body: Readonly<Record<string, unknown>>;
  /** `http_<status>` where something before the service has answered. */
  readonly code: ErrorCode | (string & Record<never, never>);
  readonly requestId: string | undefined;
  /** Where the code is explained: what it means, what to do, and who can. */
  readonly docs: string | undefined;
  /** The fields that are wrong. */
  readonly issues: readonly { readonly path: string; readonly message: string }[];
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** Whether the channel may take it later; the same key sends it once. */
  readonly retryable: boolean;
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly status: number,
    // deno-lint-ignore no-explicit-any -- whatever was answered
    body: any,
    headers: Headers,
    /** The key of the call: with it, and the same body, it may be repeated later. */
    readonly idempotencyKey: string | undefined,
  ) {
    super(body?.message ?? `The service answered ${status}.`);
    this.body = body ?? {};
    this.code = body?.error ?? `http_${status}`;
    this.requestId = headers.get("x-request-id") ?? body?.requestId;
    this.docs = body?.docs;
    this.issues = body?.issues ?? [];
    this.details = body?.details;
    this.retryable = body?.retryable === true;
    this.retryAfterMs = readRetryAfter(headers.get("retry-after"));
  }
}

/** No answer has come: the network failed, or the time was over. The call may have been executed. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";

  constructor(message: string, cause: unknown, readonly idempotencyKey: string | undefined) {
    super(message, { cause });
  }
}

/** Seconds or a date, in milliseconds from now. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null || value.trim() === "") return undefined;
  const ms = /^\s*\d/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
