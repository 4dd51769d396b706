import { PostgrestClient } from "@supabase/postgrest-js";
import { callTimeoutMs, type Database } from "./database.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import { isSqlstate, toDatabaseError } from "./sqlstates.ts";

/**
 * Opens the database through the project's Data API (PostgREST). Keeps one client for the life of
 * the isolate, because creating a client costs more than a request. It is the part of supabase-js that
 * calls functions: the whole of it, with sign-in, channels and storage, takes eight times as long to
 * load.
 */
export function openDataApiDatabase(
  url: string,
  secretKey: string,
  timeoutMs = callTimeoutMs,
): Database {
  const client = new PostgrestClient(new URL("rest/v1", `${url.replace(/\/$/, "")}/`).href, {
    // As supabase-js sends a key.
    headers: { apikey: secretKey, Authorization: `Bearer ${secretKey}` },
    fetch: fetchOnce,
  });
  return {
    async rpc<Name extends RpcName>(
      name: Name,
      request: RequestOf<Name>,
    ): Promise<ResultOf<Name>> {
      const abort = new AbortController();
      // Not AbortSignal.timeout(): its timer would keep running after the response.
      const timer = setTimeout(() => abort.abort(), timeoutMs);
      try {
        const { data, error, status } = await client.rpc(name, { request })
          .abortSignal(abort.signal);
        if (error === null && status === 200 && isResult(name, data)) return data as ResultOf<Name>;
        throw toDatabaseError(name, readCode(error, status), error?.details ?? undefined);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => Promise.resolve(),
  };
}

/** Functions that may return NULL, derived from their result types. All others return objects. */
type NullableRpc = {
  [Name in RpcName]: null extends ResultOf<Name> ? Name : never;
}[RpcName];

const nullableRpcs: Readonly<Record<NullableRpc, true>> = { retry_outbox: true };

/**
 * Whether a response can be the result of an SQL function. Gateways before the Data API may also
 * answer with 200, and the client treats a 404 with an empty body or an array as a success.
 */
function isResult(name: string, data: unknown): boolean {
  if (data === null) return Object.hasOwn(nullableRpcs, name);
  return typeof data === "object" && !Array.isArray(data);
}

/** Whether a code is an SQLSTATE or a PostgREST code. Codes of gateways have other forms. */
function isDatabaseCode(code: unknown): code is string {
  return typeof code === "string" && (isSqlstate(code) || /^PGRST[0-9A-Z]{3}$/.test(code));
}

/** Temporary 4xx statuses of a gateway before the Data API: a later call may succeed. */
const temporaryStatuses: ReadonlySet<number> = new Set([404, 408, 429]);

/**
 * Returns the error code of a failed call. A response that does not come from PostgREST has no such
 * code: no response at all (status 0), a redirect, an invalid success, or an error of a gateway. A
 * permanent error of a gateway, such as an unknown key or a body that is too large, is a defect.
 * PostgREST itself answers with an empty code where the session ended during the call, or had ended
 * before it: the transaction may have been committed.
 */
function readCode(error: { readonly code?: unknown } | null, status: number): string {
  const code = error?.code;
  // 300 is PostgREST's status of a call that two functions would take (PGRST203).
  if (status >= 300 && isDatabaseCode(code)) return code;
  return code === "" || status < 400 || status >= 500 || temporaryStatuses.has(status)
    ? "CONNECTION_CLOSED"
    : `HTTP_${status}`;
}

/**
 * Follows no redirect, because a redirect would send the secret key and the message text to another
 * server. Sends the body as a Blob, because a Blob is streamed and therefore sent once. Newer
 * versions of Deno send a string body again when a reused connection closes without a response
 * (denoland/deno#32566). The database may already have executed the first call, so `accept_message`
 * would run twice.
 */
function fetchOnce(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const body = init?.body;
  return fetch(input, {
    ...init,
    ...(typeof body === "string" ? { body: new Blob([body]) } : {}),
    redirect: "manual",
  });
}
