import { createClient } from "@supabase/supabase-js";
import type { Database } from "./database.ts";
import { toDatabaseError } from "./sqlstates.ts";

/**
 * The database through the project's Data API (PostgREST), as the platform offers it. One client
 * for the life of the isolate: making one per request costs more than the request.
 */
export function openDataApiDatabase(url: string, secretKey: string): Database {
  const client = createClient(url, secretKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
  });
  return {
    async rpc<Result>(name: string, request: Readonly<Record<string, unknown>>): Promise<Result> {
      const { data, error, status } = await client.rpc(name, { request });
      if (error === null) return data as Result;
      // Without an answer from the Data API there is no SQLSTATE: status 0, or a gateway's own 5xx.
      const isUnreachable = error.code === "" && (status === 0 || status >= 502);
      throw toDatabaseError(name, isUnreachable ? "CONNECTION_CLOSED" : error.code);
    },
    close: () => Promise.resolve(),
  };
}
