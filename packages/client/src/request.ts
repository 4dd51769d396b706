import { ApiError, ConnectionError } from "./errors.ts";
import type { CallOptions, ClientOptions } from "./types.ts";

export interface Call {
  readonly method: string;
  /** Below `/functions/v1/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly isRaw?: boolean;
}

/** Longest wait between two attempts: the service's limits are renewed each minute. */
const longestWaitMs = 60_000;

/** Calls the service, and repeats what may be repeated with the same key. */
export async function request(
  client: ClientOptions,
  call: Call,
  options: CallOptions = {},
): Promise<unknown> {
  const key = call.method === "POST" ? options.idempotencyKey ?? randomKey() : undefined;
  const maxRetries = options.maxRetries ?? client.maxRetries ?? 2;
  for (let attempt = 0;; attempt++) {
    options.signal?.throwIfAborted();
    try {
      return await callOnce(client, call, options, key);
    } catch (error) {
      if (options.signal?.aborted === true || attempt >= maxRetries || !mayRepeat(error, call)) {
        throw error;
      }
      const waitMs = waitOf(error, attempt);
      if (waitMs > longestWaitMs) throw error;
      await sleep(waitMs, options.signal);
    }
  }
}

/**
 * Refusals that say so, and calls without an answer where a repetition does nothing twice. Never an unknown
 * outcome (504): asking again would send nothing, and learn nothing.
 */
function mayRepeat(error: unknown, { method }: Call): boolean {
  if (error instanceof ConnectionError) return method !== "PATCH" && method !== "DELETE";
  if (!(error instanceof ApiError) || error.status === 504) return false;
  return error.status === 429 || error.status === 503 || error.retryable ||
    error.code === "idempotency_key_in_progress";
}

async function callOnce(
  client: ClientOptions,
  call: Call,
  options: CallOptions,
  key: string | undefined,
): Promise<unknown> {
  const timeoutMs = options.timeoutMs ?? client.timeoutMs ?? 30_000;
  const controller = new AbortController();
  const abort = (): void => controller.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", abort);
  const late = new Error(`no answer within ${timeoutMs} ms`);
  const timer = setTimeout(() => controller.abort(late), timeoutMs);
  try {
    const response = await open(client, call, {
      method: call.method,
      headers: headersOf(client, call, options, key),
      ...bodyOf(call),
      signal: controller.signal,
    });
    if (response.ok && call.isRaw === true) return response;
    const body = parseJson(await response.text());
    if (!response.ok) throw new ApiError(response.status, body, response.headers, key);
    if (body === undefined) throw new Error("the answer is no JSON");
    return body;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (options.signal?.aborted === true) throw options.signal.reason;
    const cause = controller.signal.aborted ? controller.signal.reason : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConnectionError(`${call.method} ${call.path}: ${reason}`, cause, key);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", abort);
  }
}

/** A redirect to a file is followed without the token, which is for the service alone. */
async function open(client: ClientOptions, call: Call, init: RequestInit): Promise<Response> {
  const run = client.fetch ?? globalThis.fetch;
  const url = new URL(`functions/v1/${call.path}`, `${client.baseUrl.replace(/(?<!\/)\/+$/, "")}/`);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  }
  if (call.isRaw !== true) return await run(url, init);
  const response = await run(url, { ...init, redirect: "manual" });
  // A page cannot see where a redirect leads: its browser follows.
  if (response.type === "opaqueredirect") return await run(url, init);
  const location = response.headers.get("location");
  if (response.status < 300 || response.status > 399 || location === null) return response;
  await response.body?.cancel();
  return await run(new URL(location, url), { signal: init.signal ?? null });
}

function headersOf(
  { token, secretKey }: ClientOptions,
  { path, body }: Call,
  { headers }: CallOptions,
  key: string | undefined,
): Record<string, string> {
  const isAdmin = path.startsWith("admin-api/");
  return {
    ...(isAdmin && secretKey !== undefined ? { apikey: secretKey } : {}),
    ...(!isAdmin && token !== undefined ? { "x-client-token": token } : {}),
    ...(key === undefined ? {} : { "idempotency-key": key }),
    ...(body === undefined || isFile(body) ? {} : { "content-type": "application/json" }),
    ...headers,
  };
}

function bodyOf({ body }: Call): { body?: BodyInit } {
  if (body === undefined) return {};
  if (!isFile(body)) return { body: JSON.stringify(body) };
  if (body instanceof FormData) return { body };
  const form = new FormData();
  form.append("file", body);
  return { body: form };
}

const isFile = (body: unknown): body is Blob | FormData =>
  body instanceof Blob || body instanceof FormData;

/** @returns undefined for what is no JSON, such as a proxy's page. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Works in pages without https as well, where `randomUUID` is missing. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `auto_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** What the service asks for, else more with each attempt. */
export function waitOf(error: unknown, attempt: number): number {
  return (error instanceof ApiError ? error.retryAfterMs : undefined) ?? backOffMs(attempt);
}

/** Half a second, doubled with each attempt up to 8 s, less a random part. */
export function backOffMs(attempt: number): number {
  return Math.min(8_000, 500 * 2 ** attempt) * (1 - Math.random() / 4);
}

/** Waits. @throws the signal's reason when it is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done);
    if (signal?.aborted === true) done();
  });
  signal?.throwIfAborted();
}
