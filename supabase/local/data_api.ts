import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";
import { reconnectSeconds } from "../../shared/database/direct_database.ts";
import { withTimeout } from "../../shared/runtime/time_limit.ts";
import { toDataApiError } from "./data_api_error.ts";

export interface DataApi {
  /** Answers `/rest/v1/...` as PostgREST does. */
  fetch(request: Request): Promise<Response>;
  /** Lets go of the database's connections. */
  close(): Promise<void>;
}

/** Connections of the Data API: a small pool is what slows it down most. */
const maxConnections = 40;

/**
 * Well above what any call takes. The driver forgets a statement that it was about to write when the
 * server cut the connection off.
 */
const callTimeoutMs = 5_000;

/** An rpc's arguments arrive here as JSON already; the library's own type would write them twice. */
const jsonbAsWritten = {
  to: 3802,
  from: [3802],
  serialize: (value: unknown) => typeof value === "string" ? value : JSON.stringify(value),
  parse: (text: string) => JSON.parse(text),
};

/**
 * A PostgREST-compatible API over the stack's database, so that the functions can be run on the
 * transport they use on the platform.
 */
export function openDataApi(databaseUrl: string, secretKey: string): DataApi {
  let pool = openPool(databaseUrl, secretKey);
  return {
    fetch: async (request) => {
      const used = pool;
      const answer = await withTimeout(used.app.fetch(request), callTimeoutMs);
      if (answer !== null) return answer;
      // Its connections may wait for ever; those of another pool do not.
      if (used === pool) {
        pool = openPool(databaseUrl, secretKey);
        used.connection.close().catch(() => {});
      }
      return statementTimeout();
    },
    close: () => pool.connection.close(),
  };
}

interface Pool {
  readonly app: App;
  readonly connection: ReturnType<typeof createPostgresConnection>;
}

function openPool(databaseUrl: string, secretKey: string): Pool {
  const connection = createPostgresConnection({
    url: databaseUrl,
    postgresOptions: {
      max: maxConnections,
      backoff: reconnectSeconds,
      onnotice: () => {},
      // A call that is given up must have no effect: the server gives it up before we do.
      connection: { role: "service_role", statement_timeout: callTimeoutMs - 500 },
      types: { jsonb: jsonbAsWritten },
    },
  });
  connection.normalizeDbError = toDataApiError;
  // Else its first request makes roles and grants them all tables, which the migrations took away.
  Object.assign(connection, { rlsState: "active" });
  const app = new App({
    connection,
    auth: { enabled: false, publishable_key: "sb_publishable_local_stack", secret_key: secretKey },
    options: {},
  });
  return { app, connection };
}

/** What PostgREST answers for a statement that was given up. */
function statementTimeout(): Response {
  const body = { code: "57014", message: "canceling statement due to statement timeout" };
  return Response.json(body, { status: 500 });
}
