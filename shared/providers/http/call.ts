/**
 * The HTTP calls to a provider: the POST of a send, the GET of a list. Both are bounded in time and
 * size, and say how far the request got instead of throwing.
 */

import { acquireHostSlot } from "./host_limiter.ts";
import { parseJson } from "../../model/json_value.ts";

const MAX_ANSWER_BYTES = 256 * 1024;

export interface JsonCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Whether the call ignores the host's limit, see `acquireHostSlot`. */
  readonly bypassLimit?: boolean;
  /**
   * Bound on the whole call, reading the answer's body included, from the moment it has its slot
   * (see `acquireHostSlot`); in milliseconds.
   */
  readonly timeoutMs: number;
}

/**
 * The other side answered. `text` is empty and `json` undefined when the body could not be read to
 * its end (too large, too slow, broken off); `json` alone is undefined when it is not JSON.
 */
export interface HttpAnswer {
  readonly outcome: "answered";
  readonly status: number;
  readonly headers: Headers;
  readonly json: unknown;
  readonly text: string;
}

/**
 * No answer. `not_reached`: no connection was made, so nothing was sent.
 * `unknown`: the request may have been received. The reasons are fixed words: the runtime's own texts
 * hold the URL, and with it credentials.
 */
export type HttpFailure =
  | { readonly outcome: "not_reached"; readonly reason: "connection_failed" | "too_many_calls" }
  | { readonly outcome: "unknown"; readonly reason: "timed_out" | "connection_lost" };

export type HttpResult = HttpAnswer | HttpFailure;

/**
 * POSTs `call.body` as JSON, once. Redirects are not followed: the credentials in the headers and
 * the path would travel with them. The body of the answer is always read to its end or cancelled.
 *
 * @throws TypeError when the URL or a header is malformed, a defect of the caller; never for what
 * the other side does.
 */
export function postJson(call: JsonCall): Promise<HttpResult> {
  return callOnce(call.url, {
    method: "POST",
    headers: { ...call.headers, "accept": "application/json", "content-type": "application/json" },
    // A Blob, not a string: newer versions of Deno send a buffered body a second time when a reused
    // connection ends without an answer (denoland/deno#32566), although the server may have acted on
    // the first. A Blob is streamed, so it is sent once, and still with its length.
    body: new Blob([JSON.stringify(call.body)]),
  }, {
    timeoutMs: call.timeoutMs,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    bypassLimit: call.bypassLimit ?? false,
  });
}

export interface JsonQuery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bound on the whole call, the reading of the answer's body included; in milliseconds. */
  readonly timeoutMs: number;
  /** Bound on the answer's body: beyond it the answer counts as unreadable. */
  readonly maxAnswerBytes: number;
}

/**
 * GETs JSON; redirects are not followed, for the reason that holds for `postJson`.
 *
 * @throws TypeError when the URL or a header is malformed, a defect of the caller; never for what
 * the other side does.
 */
export function getJson({ url, headers, ...bounds }: JsonQuery): Promise<HttpResult> {
  return callOnce(url, { headers: { ...headers, "accept": "application/json" } }, bounds);
}

interface CallBounds {
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly bypassLimit?: boolean;
}

async function callOnce(url: string, init: RequestInit, bounds: CallBounds): Promise<HttpResult> {
  const release = await acquireHostSlot(url, bounds.bypassLimit ?? false);
  if (release === null) return { outcome: "not_reached", reason: "too_many_calls" };
  try {
    return await exchange(url, init, bounds);
  } finally {
    release();
  }
}

async function exchange(
  url: string,
  init: RequestInit,
  { timeoutMs, maxAnswerBytes }: CallBounds,
): Promise<HttpResult> {
  const abort = new AbortController();
  const request = new Request(url, { ...init, redirect: "manual", signal: abort.signal });
  // Not AbortSignal.timeout(): its timer would outlive an answer that comes in time.
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const response = await fetch(request);
    const text = await readBoundedText(response.body, maxAnswerBytes);
    return {
      outcome: "answered",
      status: response.status,
      headers: response.headers,
      json: text === undefined ? undefined : parseJson(text),
      text: text ?? "",
    };
  } catch (error) {
    // A time-out does not tell how far the request got, not even whether it connected.
    if (abort.signal.aborted) return { outcome: "unknown", reason: "timed_out" };
    if (isConnectFailure(error)) return { outcome: "not_reached", reason: "connection_failed" };
    return { outcome: "unknown", reason: "connection_lost" };
  } finally {
    clearTimeout(timer);
  }
}

/** Ports of other protocols, to which later versions make no request (Fetch standard, "bad port"). */
const blockedPort = /Requests to port \d+ are blocked/;

/**
 * The runtime has no error type for a failed connection, only a text that names the phase. Deno 2.1
 * has it in the error, later versions in its cause. Anything unrecognised counts as possibly sent,
 * so a changed text costs retries, never a duplicate message.
 */
function isConnectFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : undefined;
  return code === "ECONNREFUSED" || error.message.includes("client error (Connect)") ||
    blockedPort.test(error.message) || isConnectFailure(error.cause);
}

/** The body as text; undefined when it is too large or ends in an error (a time-out included). */
async function readBoundedText(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<string | undefined> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let byteCount = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      byteCount += part.value.byteLength;
      if (byteCount > maxBytes) {
        await reader.cancel();
        return undefined;
      }
      text += decoder.decode(part.value, { stream: true });
    }
    return text + decoder.decode();
  } catch {
    return undefined;
  }
}
