/** A call of an SQL function over the local Data API. */

import type { Sql } from "postgres";
import { ambiguousFunction, DataApiFault, invalidBody, unknownFunction } from "./data_api_error.ts";
import { type ExposedFunction, findExposedFunction, writeCall } from "./data_api_schema.ts";
import type { SessionPool } from "./data_api_sessions.ts";

/** A call as it came. */
export interface DataApiCall {
  readonly name: string;
  /** Names of the arguments. */
  readonly given: readonly string[];
  /** The body, not parsed and written anew: that would change its numbers. */
  readonly body: string;
  /** The body is a list, whose first element has the arguments. */
  readonly isList: boolean;
}

/**
 * SQLSTATEs after which PostgREST up to 14 repeats the transaction: at once, on the same connection,
 * without end, also when no caller waits any more.
 */
const repeatedStates: ReadonlySet<unknown> = new Set(["40001", "40P01"]);

const callPath = /^\/rest\/v1\/rpc\/([^/]+)$/;

/** @throws {DataApiFault} for what is no call, or has no arguments in JSON. */
export async function readCall(request: Request): Promise<DataApiCall> {
  const path = new URL(request.url).pathname;
  const name = callPath.exec(path)?.[1];
  if (name === undefined || request.method !== "POST") {
    const message = "This stand-in knows nothing but POST /rest/v1/rpc/<function>";
    throw new DataApiFault(404, "PGRST205", message);
  }
  const body = await request.text();
  const isJson = /^application\/json\s*(?:;|$)/i.test(request.headers.get("content-type") ?? "");
  if (!isJson) throw unknownFunction(name, []);
  const parsed = parseJson(body);
  const isList = Array.isArray(parsed);
  const given: unknown = isList ? parsed[0] : parsed;
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw invalidBody();
  return { name, given: Object.keys(given), body, isList };
}

/** PostgREST refuses a text that has no encoding, half of a surrogate pair. */
function parseJson(body: string): unknown {
  try {
    const parsed: unknown = JSON.parse(body);
    if (/\\ud[89a-f]/i.test(body)) JSON.stringify(parsed, refuseLoneSurrogates);
    return parsed;
  } catch {
    throw invalidBody();
  }
}

function refuseLoneSurrogates(key: string, value: unknown): unknown {
  if (!key.isWellFormed() || typeof value === "string" && !value.isWellFormed()) {
    throw invalidBody();
  }
  return value;
}

/** @throws {DataApiFault} and the driver's errors, for `toErrorAnswer`. */
export async function executeCall(
  { name, given, body, isList }: DataApiCall,
  functions: readonly ExposedFunction[],
  sessions: SessionPool,
): Promise<Response> {
  const called = findExposedFunction(functions, name, given);
  if (called === "unknown") throw unknownFunction(name, given);
  if (called === "ambiguous") throw ambiguousFunction(name);
  const statement = writeCall(called, given, isList);
  const result = await sessions.use(async (sql) => {
    for (;;) {
      try {
        return await runTransaction(sql, called, statement, body);
      } catch (error) {
        const isRepeated = repeatedStates.has((error as { readonly code?: unknown } | null)?.code);
        if (!isRepeated || sessions.isClosed) throw error;
      }
    }
  });
  if (called.returns === "nothing") return new Response(null, { status: 204 });
  const headers = { "content-type": "application/json; charset=utf-8" };
  return new Response(result ?? "null", { headers });
}

async function runTransaction(
  sql: Sql,
  { isReadOnly }: ExposedFunction,
  statement: string,
  body: string,
): Promise<string | null> {
  const run = async (session: Pick<Sql, "unsafe">): Promise<string | null> => {
    const [row] = await session.unsafe<{ body: string | null }[]>(statement, [body], {
      prepare: true,
    });
    return row?.body ?? null;
  };
  // One statement is a transaction by itself.
  return isReadOnly ? await sql.begin("read only", run) : await run(sql);
}
