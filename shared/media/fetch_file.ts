/** Fetches a file from a URL that a caller or a provider names. */
import type { Bytes } from "../model/bytes.ts";
import { findUrlProblem } from "../model/public_url.ts";
import type { HostResolution } from "../runtime/host_resolution.ts";
import { readRetryAfterMs } from "../runtime/retry_after.ts";
import type { MediaSource } from "./checked_file.ts";
import { MediaFault } from "./media_fault.ts";
import { boundBody, withinTime } from "./stream_time.ts";

export interface FileRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The JSON of a POST that answers with the file. Absent: a GET. */
  readonly post?: unknown;
  /** An instance's own `baseUrl`, which an admin has set: its origin may be private, and http. */
  readonly trustedBaseUrl?: string | null | undefined;
}

export interface FetchRules {
  /** `ALLOW_PRIVATE_HOSTS`. */
  readonly allowsPrivateHosts: boolean;
  readonly hosts: HostResolution;
  /** Until the answer's headers are there. */
  readonly headersTimeoutMs: number;
  /** Between two parts of the body. */
  readonly stallTimeoutMs: number;
  /** Of the whole call. */
  readonly totalTimeoutMs: number;
}

/** Limits of time that fit the hosted runtime, which ends a request's work after 150 s. */
export const fetchTimeouts = {
  headersTimeoutMs: 15_000,
  stallTimeoutMs: 15_000,
  totalTimeoutMs: 120_000,
} as const;

/** A file that a server sends. Read `body` to its end, or cancel it. */
export type FetchedFile = Omit<MediaSource, "fileName">;

/**
 * Asks for a file, once. Follows no redirects: the target could be a host that was not checked, and would
 * get the headers. The body ends with a `MediaFault` where the server stalls or the connection fails.
 *
 * @throws {MediaFault} where the URL may not be called, or the server has no file.
 */
export async function fetchFile(request: FileRequest, rules: FetchRules): Promise<FetchedFile> {
  const abort = new AbortController();
  const endsAtMs = performance.now() + rules.totalTimeoutMs;
  const response = await withinTime(open(request, rules, abort.signal), {
    timeoutMs: Math.min(rules.headersTimeoutMs, rules.totalTimeoutMs),
    abort,
  });
  const fault = judgeAnswer(response);
  if (fault !== null) {
    await response.body?.cancel().catch(() => {});
    abort.abort();
    throw fault;
  }
  return {
    contentType: response.headers.get("content-type"),
    contentLength: readContentLength(response.headers),
    body: boundBody((response.body ?? new Blob().stream()) as ReadableStream<Bytes>, {
      abort,
      endsAtMs,
      stallTimeoutMs: rules.stallTimeoutMs,
    }),
  };
}

async function open(
  request: FileRequest,
  rules: FetchRules,
  signal: AbortSignal,
): Promise<Response> {
  await refuseHost(request, rules);
  try {
    return await fetch(request.url, {
      headers: {
        "accept-encoding": "identity",
        ...(request.post === undefined ? {} : { "content-type": "application/json" }),
        ...request.headers,
      },
      ...(request.post === undefined
        ? {}
        : { method: "POST", body: new Blob([JSON.stringify(request.post)]) }),
      redirect: "manual",
      signal,
    });
  } catch {
    throw new MediaFault("connection_lost");
  }
}

async function refuseHost(
  { url, trustedBaseUrl }: FileRequest,
  { allowsPrivateHosts, hosts }: FetchRules,
): Promise<void> {
  const isTrusted = isOfOrigin(url, trustedBaseUrl ?? null);
  if (findUrlProblem(url, { field: "url", allowsPrivateHosts: true }) !== null) {
    throw new MediaFault("invalid_url");
  }
  if (isTrusted || allowsPrivateHosts) return;
  if (findUrlProblem(url, { field: "url" }) !== null) throw new MediaFault("private_host");
  const verdict = await hosts.check(new URL(url).hostname);
  if (verdict === "private") throw new MediaFault("private_host");
  if (verdict === "unresolved") throw new MediaFault("host_not_found");
}

/** Scheme, host and port: at another port of the host may stand what is open to this machine alone. */
function isOfOrigin(url: string, baseUrl: string | null): boolean {
  return baseUrl !== null && URL.parse(url)?.origin === URL.parse(baseUrl)?.origin;
}

function judgeAnswer({ status, headers }: Response): MediaFault | null {
  const encoding = headers.get("content-encoding") ?? "identity";
  // A packed body hides its size, and can unpack to any.
  if (status === 200 || status === 201) {
    return encoding === "identity" ? null : new MediaFault("packed");
  }
  if (status === 404 || status === 410) return new MediaFault("gone", status);
  if (status >= 300 && status < 400) return new MediaFault("redirected", status);
  return new MediaFault("http_error", status, readRetryAfterMs(headers, Date.now()) ?? null);
}

function readContentLength(headers: Headers): number | null {
  const announced = headers.get("content-length") ?? "";
  return /^[0-9]{1,15}$/.test(announced) ? Number(announced) : null;
}
