/** The HTTP call of one delivery attempt: bounded in time and size, never redirected. */
import type { HostResolution } from "../runtime/host_resolution.ts";
import { readRetryAfterMs } from "../runtime/retry_after.ts";
import { readAnswerText } from "./answer_text.ts";

export interface EventPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PostRules {
  /** Whether a call may go to http and to hosts that are not public: `ALLOW_PRIVATE_HOSTS`. */
  readonly allowsPrivateHosts: boolean;
  readonly hosts: HostResolution;
  /** Of the whole call. */
  readonly timeoutMs: number;
}

/**
 * Why an attempt has no HTTP status. Fixed texts: the runtime's own contain the URL, which may hold
 * a secret of the receiver.
 */
export type PostError =
  | "private_host"
  | "host_not_found"
  | "timed_out"
  | "connection_failed";

/** What came of one attempt. */
export interface PostResult {
  /** Null where no answer came; `error` says why. */
  readonly status: number | null;
  readonly error: PostError | null;
  readonly durationMs: number;
  /** The beginning of the answer's body; null where it has none. */
  readonly answer: string | null;
  /** How long the receiver asks to wait, at most a day. */
  readonly retryAfterMs: number | null;
}

/** POSTs a JSON body, once. Never throws because of the receiver. */
export async function postEvent(post: EventPost, rules: PostRules): Promise<PostResult> {
  const startedAt = performance.now();
  const outcome = await attempt(post, rules);
  return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
}

type Outcome = Omit<PostResult, "durationMs">;

async function attempt(post: EventPost, rules: PostRules): Promise<Outcome> {
  const abort = new AbortController();
  // Not AbortSignal.timeout(): its timer would keep running after an answer in time.
  const timer = setTimeout(() => abort.abort(), rules.timeoutMs);
  try {
    const refusal = await refuseHost(post.url, rules, abort.signal);
    if (refusal !== null) return withoutAnswer(refusal);
    const response = await fetch(post.url, {
      method: "POST",
      headers: post.headers,
      body: post.body,
      redirect: "manual",
      signal: abort.signal,
    });
    return {
      status: response.status,
      error: null,
      answer: await readAnswerText(response),
      retryAfterMs: readRetryAfterMs(response.headers, Date.now()) ?? null,
    };
  } catch {
    return withoutAnswer(abort.signal.aborted ? "timed_out" : "connection_failed");
  } finally {
    clearTimeout(timer);
  }
}

async function refuseHost(
  url: string,
  { allowsPrivateHosts, hosts }: PostRules,
  signal: AbortSignal,
): Promise<PostError | null> {
  if (allowsPrivateHosts) return null;
  const { protocol, hostname } = new URL(url);
  // The setting may have changed since the endpoint was made.
  if (protocol !== "https:") return "private_host";
  const verdict = await Promise.race([hosts.check(hostname), whenAborted(signal)]);
  if (verdict === "private") return "private_host";
  return verdict === "unresolved" ? "host_not_found" : null;
}

/** A resolver that does not answer must not outlast the call's time limit. */
function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function withoutAnswer(error: PostError): Outcome {
  return { status: null, error, answer: null, retryAfterMs: null };
}
