import { type DataApiOptions, openDataApi } from "../../../supabase/local/data_api.ts";
import { withTimeout } from "../../../shared/runtime/time_limit.ts";
import { startTestServer } from "../doubles/test_server.ts";

/** Above the 8 s after which the server cancels a statement. */
const longestCallMs = 10_000;

/** The Data API of a database, over HTTP. */
export interface DataApiServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts it on a free port. */
export function startDataApiServer(
  databaseUrl: string,
  secretKey: string,
  options?: DataApiOptions,
): DataApiServer {
  const api = openDataApi(databaseUrl, secretKey, options);
  const server = startTestServer((request) => api.fetch(request));
  return {
    url: server.origin,
    [Symbol.asyncDispose]: async () => {
      // PostgREST executes a call whose caller is gone. One that it repeats without end ends only so.
      const stopped = Promise.resolve(server[Symbol.asyncDispose]());
      await withTimeout(stopped, longestCallMs);
      await api.close();
      await stopped;
    },
  };
}
