import postgres from "postgres";
import type { Database } from "./database.ts";
import { toDatabaseError } from "./sqlstates.ts";

/** Connections of one process: more than a function's concurrency needs none. */
const maxConnections = 20;
/**
 * Pause before connecting again, in seconds. The driver's own grows with the failures of all
 * connections together: a server that restarts under load would be missed for up to 20 s.
 */
export const reconnectSeconds = (): number => 0.1 + Math.random() * 0.2;
/** No call takes a tenth of it; one that waits for a lock that long gives up. */
const statementTimeoutMs = 30_000;

/**
 * The database over its own protocol, for a single machine: prepared statements, one round trip a
 * call, as service_role like the Data API.
 */
export function openDirectDatabase(databaseUrl: string): Database {
  const sql = postgres(databaseUrl, {
    max: maxConnections,
    connection: {
      role: "service_role",
      application_name: "messaging",
      statement_timeout: statementTimeoutMs,
    },
    onnotice: () => {},
    idle_timeout: 60,
    connect_timeout: 10,
    backoff: reconnectSeconds,
  });
  return {
    async rpc<Result>(name: string, request: Readonly<Record<string, unknown>>): Promise<Result> {
      try {
        const rows = await sql.unsafe(
          `select public.${name}($1::text::jsonb) as result`,
          [JSON.stringify(request)],
          { prepare: true },
        );
        return rows[0]?.["result"] as Result;
      } catch (error) {
        throw toDatabaseError(name, readCode(error));
      }
    },
    close: () => sql.end({ timeout: 5 }),
  };
}

function readCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
