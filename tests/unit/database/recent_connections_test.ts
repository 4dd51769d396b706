import type { Sql } from "postgres";
import { RecentConnections } from "../../../shared/database/recent_connections.ts";
import { assertEquals } from "../../support/assert.ts";

const limits = { silentTimeoutSeconds: 9, closeTimeoutSeconds: 5 };

/** Connections named in the order in which they were opened, and how each was ended. */
function openFakes(): {
  connections: RecentConnections;
  ended: Record<string, number | undefined>;
  take(): string;
  nameOf(connection: Sql): string;
} {
  const names = new Map<Sql, string>();
  const ended: Record<string, number | undefined> = {};
  const connections = new RecentConnections(() => {
    const name = `connection ${names.size + 1}`;
    const end = (options?: { timeout?: number }): Promise<void> => {
      ended[name] = options?.timeout;
      return Promise.resolve();
    };
    const connection = { end } as Partial<Sql> as Sql;
    names.set(connection, name);
    return connection;
  }, limits);
  const nameOf = (connection: Sql): string => names.get(connection) ?? "unknown";
  return { connections, ended, nameOf, take: () => nameOf(mustTake(connections)) };
}

function mustTake(connections: RecentConnections): Sql {
  const connection = connections.take("");
  if (connection === null) throw new Error("no connection");
  return connection;
}

Deno.test("the connection that was used last serves the next call", () => {
  const { connections, take } = openFakes();
  const [first, second, third] = [0, 1, 2].map(() => mustTake(connections));
  for (const connection of [first, third, second]) connections.putBack(connection as Sql);
  assertEquals([take(), take(), take(), take()], [
    "connection 2",
    "connection 3",
    "connection 1",
    "connection 4",
  ]);
});

Deno.test("a connection that is given up is ended, serves no further call, and takes no other with it", () => {
  const { connections, ended, take } = openFakes();
  const [healthy, dead] = [mustTake(connections), mustTake(connections)];
  connections.putBack(healthy);
  connections.discardBroken(dead);
  connections.putBack(dead);
  assertEquals(ended, { "connection 2": 0 });
  assertEquals([take(), take()], ["connection 1", "connection 3"]);
});

Deno.test("a silent connection may finish its call, and takes the idle ones with it, but none in use", () => {
  const { connections, ended, take } = openFakes();
  const [idle, silent, inUse] = [0, 1, 2].map(() => mustTake(connections));
  connections.putBack(idle as Sql);
  connections.discardSilent(silent as Sql);
  connections.putBack(inUse as Sql);
  assertEquals(ended, { "connection 1": 0, "connection 2": 9 });
  assertEquals([take(), take()], ["connection 3", "connection 4"]);
});

Deno.test("closing ends idle connections and those in use, and gives out none any more", async () => {
  const { connections, ended } = openFakes();
  const [idle, inUse] = [mustTake(connections), mustTake(connections)];
  connections.putBack(idle);
  await connections.close();
  connections.putBack(inUse);
  assertEquals(ended, { "connection 1": 5, "connection 2": 5 });
  assertEquals(connections.take(""), null);
});
