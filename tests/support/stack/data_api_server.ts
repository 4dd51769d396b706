import { openDataApi } from "../../../supabase/local/data_api.ts";
import { startTestServer } from "../doubles/test_server.ts";

/** The Data API of a database, over HTTP. */
export interface DataApiServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts it on a free port. */
export function startDataApiServer(databaseUrl: string, secretKey: string): DataApiServer {
  const api = openDataApi(databaseUrl, secretKey);
  const server = startTestServer((request) => api.fetch(request));
  return {
    url: server.origin,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await api.close();
    },
  };
}
