/** Both ways to the database, opened on a test's own. */

import type { Database } from "../../shared/database/database.ts";
import { openDataApiDatabase } from "../../shared/database/data_api_database.ts";
import { openDirectDatabase } from "../../shared/database/direct_database.ts";
import { openDataApi } from "../../supabase/local/data_api.ts";

export interface OpenTransport extends AsyncDisposable {
  readonly database: Database;
}

export interface Transport {
  readonly name: string;
  open(databaseUrl: string): OpenTransport;
  /** With nothing behind it: every call finds the door closed. @param port where nobody listens. */
  openUnreachable(port: number): OpenTransport;
}

const secretKey = "sb_secret_of_the_transport_tests_0123";

export const transports: readonly Transport[] = [
  {
    name: "direct",
    open: (databaseUrl) => keep(openDirectDatabase(databaseUrl)),
    openUnreachable: (port) =>
      keep(openDirectDatabase(`postgres://nobody:nothing@127.0.0.1:${port}/nowhere`)),
  },
  {
    name: "supabase-js",
    open: (databaseUrl) => {
      const api = openDataApi(databaseUrl, secretKey);
      const server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        (request) => api.fetch(request),
      );
      const database = openDataApiDatabase(`http://127.0.0.1:${server.addr.port}`, secretKey);
      return {
        database,
        [Symbol.asyncDispose]: async () => {
          await database.close();
          await server.shutdown();
          await api.close();
        },
      };
    },
    openUnreachable: (port) => keep(openDataApiDatabase(`http://127.0.0.1:${port}`, secretKey)),
  },
];

function keep(database: Database): OpenTransport {
  return { database, [Symbol.asyncDispose]: () => database.close() };
}
