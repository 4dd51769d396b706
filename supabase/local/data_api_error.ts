/**
 * Maps database errors as PostgREST does: the status follows from the SQLSTATE (PostgREST
 * documentation, "Errors"), and `code` is the SQLSTATE.
 */

import { isSqlstate } from "../../shared/database/sqlstates.ts";

const statusBySqlstate: readonly (readonly [sqlstateBegins: string, status: number])[] = [
  ["08", 503],
  ["23503", 409],
  ["23505", 409],
  ["25006", 405],
  ["25", 500],
  ["28", 403],
  ["2D", 500],
  ["38", 500],
  ["39", 500],
  ["3B", 500],
  ["40", 500],
  ["42501", 403],
  ["42883", 404],
  ["42P01", 404],
  ["42P17", 500],
  ["53400", 500],
  ["53", 503],
  ["54", 500],
  ["55", 500],
  ["57", 500],
  ["58", 500],
  ["F0", 500],
  ["HV", 500],
  ["P0001", 400],
  ["P0", 500],
  ["XX", 500],
];

/** PostgREST's code for a failed database connection. */
const noConnection = "PGRST001";

/**
 * Converts a database error into the form of `raise sqlstate 'PGRST'`, for which `@supabase/lite`
 * answers the given status and code. Without this it answers most SQLSTATEs alike. Returns any other
 * error unchanged.
 */
export function toDataApiError(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") {
    return error;
  }
  const isOfPostgres = isSqlstate(error.code);
  if (!isOfPostgres && !/^(?:CONN|E)[A-Z_]+$/.test(error.code)) return error;
  const code = isOfPostgres ? error.code : noConnection;
  return new DataApiError(code, isOfPostgres ? findStatus(code) : 503, error);
}

function findStatus(sqlstate: string): number {
  return statusBySqlstate.find(([begins]) => sqlstate.startsWith(begins))?.[1] ?? 400;
}

class DataApiError extends Error {
  override readonly name = "DataApiError";
  readonly code = "PGRST";
  readonly detail: string;

  constructor(private readonly answeredCode: string, status: number, cause: Error) {
    const { detail = null, hint = null } = cause as { detail?: string; hint?: string };
    super(JSON.stringify({ code: answeredCode, message: cause.message, details: detail, hint }));
    this.detail = JSON.stringify({ status, headers: {} });
  }

  /** The library prints every error. The message may hold a phone number, so only the code is shown. */
  [Symbol.for("Deno.customInspect")](): string {
    return JSON.stringify({
      level: "info",
      event: "data_api_call_rejected",
      code: this.answeredCode,
    });
  }
}
