/** A connection of the driver to one server, and what is said over it. */

import postgres from "postgres";
import type { RpcName } from "./rpcs.ts";
import { singleSession } from "./single_session.ts";

/**
 * The platform's value for service_role. It is shorter than the caller's time-out
 * (`callTimeoutMs`), so that no statement keeps running after its caller received an error.
 */
export const statementTimeoutMs = 8_000;

/** A client with one connection: `RecentConnections` chooses among them, not the driver. */
export function openConnection(url: string, onClosed: () => void): postgres.Sql {
  return postgres(url, {
    max: 1,
    connection: {
      role: "service_role",
      application_name: "messaging",
      statement_timeout: statementTimeoutMs,
      // Compiling takes longer than any call may: a plan that looks dear is not worth it.
      jit: false,
    },
    onnotice: () => {},
    onclose: onClosed,
    // No call has an array as parameter or result. Otherwise each new connection would first read all
    // array types of the catalogue.
    fetch_types: false,
    idle_timeout: 60,
    connect_timeout: 10,
    ...singleSession(),
  });
}

/** Calls `public.<name>`; the one row has its `result`. */
export function callFunction(
  connection: postgres.Sql,
  name: RpcName,
  request: object,
): Promise<postgres.RowList<postgres.Row[]>> {
  return connection.unsafe(
    `select public.${name}($1::text::jsonb) as result`,
    [JSON.stringify(request)],
    { prepare: true },
  );
}

/** A text that an error of the driver carries. */
export function readText(error: unknown, member: "code" | "detail"): string | undefined {
  const text = (error as Partial<Record<string, unknown>> | null)?.[member];
  return typeof text === "string" ? text : undefined;
}

/** Whether the server refused the statement and keeps the session: severity ERROR, not FATAL. */
export function isAnswer(error: unknown): boolean {
  return (error as { severity?: unknown } | null)?.severity === "ERROR";
}
