/** Opens both database transports on a test's database. */

import type { Database } from "../../../shared/database/database.ts";
import { openDataApiDatabase } from "../../../shared/database/data_api_database.ts";
import { openDirectDatabase } from "../../../shared/database/direct_database.ts";
import { startDataApiServer } from "../stack/data_api_server.ts";

export interface OpenTransport extends AsyncDisposable {
  readonly database: Database;
}

export interface Transport {
  readonly name: string;
  open(databaseUrl: string): OpenTransport;
  /** Opens a transport to a closed port, so that every call fails. @param port a closed port. */
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
      const server = startDataApiServer(databaseUrl, secretKey);
      const database = openDataApiDatabase(server.url, secretKey);
      return {
        database,
        [Symbol.asyncDispose]: async () => {
          await database.close();
          await server[Symbol.asyncDispose]();
        },
      };
    },
    openUnreachable: (port) => keep(openDataApiDatabase(`http://127.0.0.1:${port}`, secretKey)),
  },
];

/**
 * How many random mixes of calls are compared over a transport. Which of them differ is a matter of SQL,
 * which the cheaper transport shows as well; the other one has to carry calls, results and errors.
 */
export function countMixes({ name }: Transport, ofDirect: number): number {
  return name === "direct" ? ofDirect : 2;
}

function keep(database: Database): OpenTransport {
  return { database, [Symbol.asyncDispose]: () => database.close() };
}
