import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";

export interface DataApi {
  /** Answers `/rest/v1/...` as PostgREST does. */
  fetch(request: Request): Promise<Response>;
}

/** Connections of the Data API: a small pool is what slows it down most. */
const maxConnections = 40;

/**
 * A PostgREST-compatible API over the stack's database, so that the functions can be run on the
 * transport they use on the platform.
 */
export function openDataApi(databaseUrl: string, secretKey: string): DataApi {
  const connection = createPostgresConnection({
    url: databaseUrl,
    postgresOptions: { max: maxConnections, connection: { role: "service_role" } },
  });
  const app = new App({
    connection,
    auth: { enabled: false, publishable_key: "sb_publishable_local_stack", secret_key: secretKey },
    options: {},
  });
  return { fetch: async (request) => await app.fetch(request) };
}
