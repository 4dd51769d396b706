import { ApiError, ConnectionError } from "./errors.ts";
import type { CallOptions, ClientOptions } from "./types.ts";

export interface Call {
  readonly method: string;
  /** Below `/functions/v1/`. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>> | undefined;
  readonly body: unknown;
  /** Whether the answer is no JSON. */
  readonly isRaw: boolean;
}

/** Calls the service, and repeats what may be repeated with the same key. */
export async function request(
  client: ClientOptions,
  call: Call,
  options: CallOptions = {},
): Promise<unknown> {
  const { signal, idempotencyKey, maxRetries = client.maxRetries ?? 2 } = options;
  const key = call.method === "POST" ? idempotencyKey ?? randomKey() : undefined;
  for (let attempt = 0;; attempt++) {
    signal?.throwIfAborted();
    try {
      return await callOnce(client, call, options, key);
    } catch (error) {
      if (attempt >= maxRetries || !mayRepeat(error, call)) throw error;
      const askedMs = error instanceof ApiError ? error.retryAfterMs : undefined;
      // The service's limits are renewed each minute. Without a bound of repetitions there is none of their waits.
      if (Number(askedMs) > 60_000 && maxRetries < Infinity) throw error;
      await sleep(askedMs ?? backOffMs(attempt), signal);
    }
  }
}

/**
 * Refusals that say so, reading that failed, and calls without an answer where a repetition does nothing twice.
 * Never an unknown outcome of a send (504): asking again would send nothing, and learn nothing.
 */
function mayRepeat(error: unknown, { method }: Call): boolean {
  if (error instanceof ConnectionError) return method !== "PATCH" && method !== "DELETE";
  if (!(error instanceof ApiError)) return false;
  const { status, code, retryable } = error;
  if (method === "GET" && status >= 500) return true;
  return status === 429 || status === 503 || (retryable && status !== 504) ||
    code === "idempotency_key_in_progress";
}

async function callOnce(
  client: ClientOptions,
  call: Call,
  { signal, timeoutMs = client.timeoutMs ?? 30_000, headers }: CallOptions,
  key: string | undefined,
): Promise<unknown> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  const late = new Error(`no answer within ${timeoutMs} ms`);
  const timer = setTimeout(() => controller.abort(late), timeoutMs);
  try {
    const response = await open(client, call, {
      method: call.method,
      headers: { ...headersOf(client, call, key), ...headers },
      body: bodyOf(call),
      signal: controller.signal,
    });
    if (response.ok && call.isRaw) return response;
    const body = parseJson(await response.text());
    if (!response.ok) throw new ApiError(response.status, body, response.headers, key);
    if (body === undefined) throw new Error("the answer is no JSON");
    return body;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    signal?.throwIfAborted();
    const cause = controller.signal.aborted ? controller.signal.reason : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConnectionError(`${call.method} ${call.path}: ${reason}`, cause, key);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** A redirect to a file is followed without the token, which is for the service alone. */
async function open(client: ClientOptions, call: Call, init: RequestInit): Promise<Response> {
  const run = client.fetch ?? globalThis.fetch;
  const url = new URL(`functions/v1/${call.path}`, `${client.baseUrl.replace(/(?<!\/)\/+$/, "")}/`);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  }
  if (!call.isRaw) return await run(url, init);
  const response = await run(url, { ...init, redirect: "manual" });
  // A page cannot see where a redirect leads: its browser follows.
  if (response.type === "opaqueredirect") return await run(url, init);
  const location = response.headers.get("location");
  if (response.status < 300 || response.status > 399 || location === null) return response;
  await response.body?.cancel();
  return await run(new URL(location, url), { signal: init.signal ?? null });
}

function headersOf(client: ClientOptions, call: Call, key?: string): Record<string, string> {
  const isAdmin = call.path.startsWith("admin-api/");
  const isFile = call.body instanceof Blob || call.body instanceof FormData;
  return {
    ...(isAdmin && client.secretKey !== undefined ? { apikey: client.secretKey } : {}),
    ...(!isAdmin && client.token !== undefined ? { "x-client-token": client.token } : {}),
    ...(key === undefined ? {} : { "idempotency-key": key }),
    ...(call.body === undefined || isFile ? {} : { "content-type": "application/json" }),
  };
}

function bodyOf({ body }: Call): BodyInit | null {
  if (body === undefined || body instanceof FormData) return body ?? null;
  if (!(body instanceof Blob)) return JSON.stringify(body);
  const form = new FormData();
  form.append("file", body);
  return form;
}

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

/** Half a second, doubled with each attempt up to 8 s, less a random part. */
export function backOffMs(attempt: number): number {
  return Math.min(8_000, 500 * 2 ** attempt) * (1 - Math.random() / 4);
}

/** Waits, at most 24.8 days: a longer timer would end at once. @throws the signal's reason when it is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, Math.min(ms, 2 ** 31 - 1));
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
