/** Answers of the local Data API to calls that fail, as PostgREST gives them. */

/**
 * The status of an SQLSTATE, or of all that begin like it (PostgREST's documentation, "Errors"; 57P01,
 * 21000, 09000, 0L000 and 0P000 as PostgREST 14.17 answered them).
 */
const statusBySqlstate: readonly (readonly [sqlstateBegins: string, status: number])[] = [
  ["08", 503],
  ["09", 500],
  ["0L", 403],
  ["0P", 403],
  ["21", 500],
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
  ["57P01", 503],
  ["57", 500],
  ["58", 500],
  ["F0", 500],
  ["HV", 500],
  ["P0001", 400],
  ["P0", 500],
  ["XX", 500],
];

/** A failure with a code of PostgREST's own. */
export class DataApiFault extends Error {
  override readonly name = "DataApiFault";
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

/** The session ended during the call, or had ended before it: PostgREST has no word for it. */
export function sessionLost(): DataApiFault {
  return new DataApiFault(400, "", "");
}

/** A session could not be opened. */
export function noConnection(): DataApiFault {
  return new DataApiFault(503, "PGRST001", "Database client error. Retrying the connection.");
}

/** The schema is not read yet since the database was lost. */
export function schemaUnread(): DataApiFault {
  return new DataApiFault(
    503,
    "PGRST002",
    "Could not query the database for the schema cache. Retrying.",
  );
}

/** No session became free in time. */
export function poolExhausted(): DataApiFault {
  return new DataApiFault(
    504,
    "PGRST003",
    "Timed out acquiring connection from connection pool.",
  );
}

/** The body is no JSON object or list of objects. */
export function invalidBody(): DataApiFault {
  return new DataApiFault(400, "PGRST102", "Empty or invalid json");
}

/** No function takes these arguments, as far as the schema was read. */
export function unknownFunction(name: string, given: readonly string[]): DataApiFault {
  return new DataApiFault(
    404,
    "PGRST202",
    `Could not find the function public.${name}(${given.join(", ")}) in the schema cache`,
  );
}

/** Several functions take them. */
export function ambiguousFunction(name: string): DataApiFault {
  return new DataApiFault(
    300,
    "PGRST203",
    `Could not choose the best candidate function between several public.${name}`,
  );
}

/** The answer to a failed call, whose body has `code`, `message`, `details` and `hint`. */
export function toErrorAnswer(error: unknown): Response {
  if (error instanceof DataApiFault) return answer(error.status, error.code, error);
  const code = (error as { readonly code?: unknown } | null)?.code;
  if (typeof code !== "string" || !(error instanceof Error)) throw error;
  return answer(findStatus(code), code, error);
}

function answer(status: number, code: string, error: Error): Response {
  const { detail = null, hint = null } = error as { detail?: string; hint?: string };
  const headers = { ...(code === "57P01" ? { "Retry-After": "0" } : {}) };
  const body = { code, details: detail, hint, message: error.message };
  return Response.json(body, { status, headers });
}

/** `PTnnn` is how a function names the status itself. */
function findStatus(sqlstate: string): number {
  const named = /^PT(\d{3})$/.exec(sqlstate)?.[1];
  if (named !== undefined) return Number(named);
  return statusBySqlstate.find(([begins]) => sqlstate.startsWith(begins))?.[1] ?? 400;
}
