import { createClient } from "@supabase/supabase-js";
import { callTimeoutMs, type Database } from "./database.ts";
import { toDatabaseError } from "./sqlstates.ts";

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
    async rpc<Result>(name: string, request: Readonly<Record<string, unknown>>): Promise<Result> {
      const abort = new AbortController();
      // Not AbortSignal.timeout(): its timer would outlive an answer that comes in time.
      const timer = setTimeout(() => abort.abort(), timeoutMs);
      try {
        const { data, error, status } = await client.rpc(name, { request })
          .abortSignal(abort.signal);
        // The client reads an empty 404, which is no answer of PostgREST's, as a success.
        if (error === null && status === 200) return data as Result;
        throw toDatabaseError(name, readCode(error, status));
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => Promise.resolve(),
  };
}

/** Without an answer of PostgREST's own there is no code: status 0, or a gateway's 5xx. */
function readCode(error: { readonly code?: string } | null, status: number): string {
  const code = error?.code ?? "";
  if (code !== "") return code;
  return status === 0 || status >= 502 ? "CONNECTION_CLOSED" : `HTTP_${status}`;
}

/**
 * Sends a call's body as a Blob. Newer versions of Deno send a body that they hold whole a second
 * time when a reused connection ends without an answer (denoland/deno#32566), though the database
 * may have executed the first: `accept_message` twice. A Blob is streamed, so it goes out once.
 */
function fetchOnce(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const body = init?.body;
  return fetch(input, typeof body === "string" ? { ...init, body: new Blob([body]) } : init);
}
