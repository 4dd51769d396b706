import { openDataApi } from "../../../supabase/local/data_api.ts";

/** The Data API of a database, over HTTP. */
export interface DataApiServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts it on a free port. */
export function startDataApiServer(databaseUrl: string, secretKey: string): DataApiServer {
  const api = openDataApi(databaseUrl, secretKey);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => api.fetch(request),
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: async () => {
      await server.shutdown();
      await api.close();
    },
  };
}
