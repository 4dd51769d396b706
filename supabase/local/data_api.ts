import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";
import { reconnectSeconds } from "../../shared/database/direct_database.ts";
import { withTimeout } from "../../shared/runtime/time_limit.ts";
import { toDataApiError } from "./data_api_error.ts";
import { shareSchemaReading } from "./data_api_schema.ts";

export interface DataApi {
  /** Answers `/rest/v1/...` as PostgREST does. */
  fetch(request: Request): Promise<Response>;
  /** Closes the database connections. */
  close(): Promise<void>;
}

/** Pool size. A small pool slows the Data API down more than anything else. */
const maxConnections = 40;

/**
 * Time limit of a call, well above its usual duration. Needed because the driver drops a pending
 * statement without an error when the server closes the connection.
 */
const callTimeoutMs = 5_000;

/** RPC arguments are serialized already; the library's own type would serialize them twice. */
const jsonbAsWritten = {
  to: 3802,
  from: [3802],
  serialize: (value: unknown) => typeof value === "string" ? value : JSON.stringify(value),
  parse: (text: string) => JSON.parse(text),
};

/**
 * Opens a PostgREST-compatible API on the stack's database, so that the functions can use the same
 * transport as on the platform.
 */
export function openDataApi(databaseUrl: string, secretKey: string): DataApi {
  let pool = openPool(databaseUrl, secretKey);
  return {
    fetch: async (request) => {
      const used = pool;
      const answer = await withTimeout(used.app.fetch(request), callTimeoutMs);
      if (answer !== null) return answer;
      // Connections of this pool may hang forever, so a new pool replaces it.
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
      // The server must cancel a call before we time out, so that a timed-out call has no effect.
      connection: { role: "service_role", statement_timeout: callTimeoutMs - 500 },
      types: { jsonb: jsonbAsWritten },
    },
  });
  connection.normalizeDbError = toDataApiError;
  shareSchemaReading(connection);
  // Otherwise its first request creates roles and grants them all tables that the migrations revoked.
  Object.assign(connection, { rlsState: "active" });
  const app = new App({
    connection,
    auth: { enabled: false, publishable_key: "sb_publishable_local_stack", secret_key: secretKey },
    options: {},
  });
  return { app, connection };
}

/** PostgREST's response to a canceled statement. */
function statementTimeout(): Response {
  const body = { code: "57014", message: "canceling statement due to statement timeout" };
  return Response.json(body, { status: 500 });
}
