/**
 * The HTTP calls to a provider: the POST of a send, the GET of a list. All are bounded in time and
 * size. They report how far the request got instead of throwing.
 */

import { acquireHostSlot, type SlotRequest } from "./host_limiter.ts";
import type { Bytes } from "../../model/bytes.ts";
import { parseJson } from "../../model/json_value.ts";

const MAX_ANSWER_BYTES = 256 * 1024;

export interface JsonCall extends SlotRequest {
  /** Default: POST. */
  readonly method?: "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a call without a body. */
  readonly body: unknown;
  /**
   * Time-out of the whole call in milliseconds, including reading the answer's body. It starts when
   * the call has its slot (see `acquireHostSlot`).
   */
  readonly timeoutMs: number;
}

/**
 * The server answered. If the body could not be read to its end (too large, too slow, connection
 * lost), `text` is empty and `json` undefined. If the body is not JSON, only `json` is undefined.
 */
export interface HttpAnswer {
  readonly outcome: "answered";
  readonly status: number;
  readonly headers: Headers;
  readonly json: unknown;
  readonly text: string;
}

/**
 * The server did not answer. `not_reached`: no connection was made, so nothing was sent. `unknown`:
 * the server may have received the request. The reasons are fixed texts, because the runtime's own
 * error texts contain the URL and with it credentials.
 */
export type HttpFailure =
  | { readonly outcome: "not_reached"; readonly reason: "connection_failed" | "too_many_calls" }
  | { readonly outcome: "unknown"; readonly reason: "timed_out" | "connection_lost" };

export type HttpResult = HttpAnswer | HttpFailure;

/**
 * POSTs `call.body` as JSON, once, or sends it by another method. Does not follow redirects, which
 * would forward the credentials in the headers and the path. Always reads the answer's body to its end or cancels it.
 *
 * @throws TypeError if the URL or a header is malformed: a defect of the caller. Never throws
 * because of the server's behaviour.
 */
export function postJson(call: JsonCall): Promise<HttpResult> {
  return callOnce(call.url, {
    method: call.method ?? "POST",
    headers: { ...call.headers, "accept": "application/json", "content-type": "application/json" },
    // Sends a Blob, not a string. Newer versions of Deno resend a buffered body when a reused
    // connection ends without an answer (denoland/deno#32566), although the server may have
    // processed the first request. A Blob is streamed, so it is sent once, and still with a
    // Content-Length.
    body: call.body === undefined ? null : new Blob([JSON.stringify(call.body)]),
  }, {
    timeoutMs: call.timeoutMs,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    instanceId: call.instanceId,
    bypassLimit: call.bypassLimit,
  });
}

export interface StreamCall extends SlotRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: ReadableStream<Bytes>;
  /** Time-out of the whole call in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * POSTs a body as it is read, once, without holding it in memory. Otherwise as `postJson`. The body is
 * read to its end or canceled; where it fails, the answer is missing.
 */
export async function postStream(call: StreamCall): Promise<HttpResult> {
  const { url, headers, contentType, body, ...bounds } = call;
  const result = await callOnce(url, {
    method: "POST",
    headers: { ...headers, "accept": "application/json", "content-type": contentType },
    body,
  }, { ...bounds, maxAnswerBytes: MAX_ANSWER_BYTES });
  // A call that was not made, or was answered early, has left some of it.
  if (!body.locked) await body.cancel().catch(() => {});
  return result;
}

export interface JsonQuery extends SlotRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Time-out of the whole call in milliseconds, including reading the answer's body. */
  readonly timeoutMs: number;
  /** Largest body of an answer. A larger one counts as unreadable. */
  readonly maxAnswerBytes: number;
}

/**
 * GETs JSON. Does not follow redirects, for the same reason as `postJson`.
 *
 * @throws TypeError if the URL or a header is malformed: a defect of the caller. Never throws
 * because of the server's behaviour.
 */
export function getJson({ url, headers, ...bounds }: JsonQuery): Promise<HttpResult> {
  return callOnce(url, { headers: { ...headers, "accept": "application/json" } }, bounds);
}

/** A call without a body that may change something: never repeated by itself. Otherwise as `getJson`. */
export function callJson(
  method: "DELETE",
  { url, headers, ...bounds }: JsonQuery,
): Promise<HttpResult> {
  return callOnce(url, { method, headers: { ...headers, "accept": "application/json" } }, bounds);
}

interface CallBounds extends SlotRequest {
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

async function callOnce(url: string, init: RequestInit, bounds: CallBounds): Promise<HttpResult> {
  const release = await acquireHostSlot(url, bounds);
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
  // Checked outside the try block: a malformed header is a defect, not a lost connection.
  const headers = new Headers(init.headers);
  // Not AbortSignal.timeout(): its timer would keep running after an answer in time.
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const response = await fetch(url, {
      ...init,
      headers,
      redirect: "manual",
      signal: abort.signal,
    });
    const text = await readText(response, maxAnswerBytes);
    return {
      outcome: "answered",
      status: response.status,
      headers: response.headers,
      json: text === undefined ? undefined : parseJson(text),
      text: text ?? "",
    };
  } catch (error) {
    // A time-out does not show how far the request got, not even whether it connected.
    if (abort.signal.aborted) return { outcome: "unknown", reason: "timed_out" };
    if (isConnectFailure(error)) return { outcome: "not_reached", reason: "connection_failed" };
    return { outcome: "unknown", reason: "connection_lost" };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Ports of other protocols. Newer versions of Deno refuse to call them (Fetch standard, "bad
 * port").
 */
const blockedPort = /Requests to port \d+ are blocked/;

/**
 * Recognises a failed connection by the error text, which names the phase. The runtime has no error
 * type for it. Deno 2.1 has the text in the error, later versions in its cause. An unrecognised
 * error counts as possibly sent, so a changed text costs retries, never a duplicate message.
 */
function isConnectFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : undefined;
  return code === "ECONNREFUSED" || error.message.includes("client error (Connect)") ||
    blockedPort.test(error.message) || isConnectFailure(error.cause);
}

/** The body as text. Undefined if it is too large or its reading fails (a time-out included). */
async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  if (!declaresAtMost(response.headers, maxBytes)) {
    return await readBoundedText(response.body, maxBytes);
  }
  try {
    return await response.text();
  } catch {
    return undefined;
  }
}

/**
 * Whether the answer's framing limits its body to `maxBytes`. The runtime then reads no further, so
 * the body can be read at once, which costs a third of reading its stream. A chunked body ends by
 * its chunks and a compressed one grows, whatever `Content-Length` says.
 */
function declaresAtMost(headers: Headers, maxBytes: number): boolean {
  const declared = headers.get("content-length") ?? "";
  return /^\d+$/.test(declared) && Number(declared) <= maxBytes &&
    !headers.has("transfer-encoding") && !headers.has("content-encoding");
}

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
