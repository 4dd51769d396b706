import { createClient } from "@supabase/supabase-js";
import { callTimeoutMs, type Database } from "./database.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import { isSqlstate, toDatabaseError } from "./sqlstates.ts";

/**
 * The database through the project's Data API (PostgREST), as the platform offers it. One client
 * for the life of the isolate: making one per request costs more than the request.
 */
export function openDataApiDatabase(
  url: string,
  secretKey: string,
  timeoutMs = callTimeoutMs,
): Database {
  const client = createClient(url, secretKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: fetchOnce },
  });
  return {
    async rpc<Name extends RpcName>(
      name: Name,
      request: RequestOf<Name>,
    ): Promise<ResultOf<Name>> {
      const abort = new AbortController();
      // Not AbortSignal.timeout(): its timer would outlive an answer that comes in time.
      const timer = setTimeout(() => abort.abort(), timeoutMs);
      try {
        const { data, error, status } = await client.rpc(name, { request })
          .abortSignal(abort.signal);
        if (error === null && status === 200 && isResult(name, data)) return data as ResultOf<Name>;
        throw toDatabaseError(name, readCode(error, status));
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => Promise.resolve(),
  };
}

/** The functions that return NULL where there is nothing, read off the map; the others return objects. */
type NullableRpc = {
  [Name in RpcName]: null extends ResultOf<Name> ? Name : never;
}[RpcName];

const nullableRpcs: Readonly<Record<NullableRpc, true>> = { retry_outbox: true };

/**
 * Whether an answer can be a SQL function's. Others answer with 200 too, in place of the Data API,
 * and the client reads a 404 that is empty or a list as a success.
 */
function isResult(name: string, data: unknown): boolean {
  if (data === null) return Object.hasOwn(nullableRpcs, name);
  return typeof data === "object" && !Array.isArray(data);
}

/** A SQLSTATE, or a code of PostgREST's own; gateways have codes of other forms. */
function isDatabaseCode(code: unknown): code is string {
  return typeof code === "string" && (isSqlstate(code) || /^PGRST[0-9A-Z]{3}$/.test(code));
}

/** Statuses of what stands before the Data API, for a call that may come through later. */
const passingStatuses: ReadonlySet<number> = new Set([404, 408, 429]);

/**
 * The code that an answer fails with. Where PostgREST itself did not answer there is none: no answer
 * at all (status 0), a redirect, a success that is none, or a gateway's refusal. Of those the ones
 * for good are defects: a key that is not known, a body that is too large.
 */
function readCode(error: { readonly code?: unknown } | null, status: number): string {
  const code = error?.code;
  if (status >= 400 && isDatabaseCode(code)) return code;
  return status < 400 || status >= 500 || passingStatuses.has(status)
    ? "CONNECTION_CLOSED"
    : `HTTP_${status}`;
}

/**
 * Follows no redirect: the secret key and what is said to a contact would travel with it, and the
 * answer would be another's. Sends a call's body as a Blob: newer versions of Deno send a body that
 * they hold whole a second time when a reused connection ends without an answer
 * (denoland/deno#32566), though the database may have executed the first: `accept_message` twice. A
 * Blob is streamed, so it goes out once.
 */
function fetchOnce(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const body = init?.body;
  return fetch(input, {
    ...init,
    ...(typeof body === "string" ? { body: new Blob([body]) } : {}),
    redirect: "manual",
  });
}
