/** What goes on beside the load of the bench soak. */

import postgres, { type Sql } from "postgres";

/** How long the reader reads: a third of the time, at most. */
const readerMinutes = 5;

export interface Companion {
  readonly name: string;
  /** Begins. @returns what ends it. */
  begin(databaseUrl: string, minutes: number): Promise<() => Promise<void>>;
}

/** They are tried in turn, each on a server of its own. */
export const companions: readonly Companion[] = [
  { name: "nothing", begin: () => Promise.resolve(() => Promise.resolve()) },
  {
    name: "a session idle in transaction from the start",
    begin: async (databaseUrl) => {
      const sql = openSession(databaseUrl);
      await sql.unsafe("begin isolation level repeatable read");
      await sql`select count(*) from messaging.instances`;
      return () => sql.end({ timeout: 1 });
    },
  },
  {
    name: `a reader of ${readerMinutes} minutes`,
    begin: (databaseUrl, minutes) => {
      const sql = openSession(databaseUrl);
      const endsAt = performance.now() + Math.min(readerMinutes, minutes / 3) * 60_000;
      const reading = sql.begin("isolation level repeatable read", async (transaction) => {
        while (performance.now() < endsAt) {
          await transaction`select count(*), max(message) from messaging.messages`;
          await transaction`select pg_sleep(1)`;
        }
      });
      return Promise.resolve(async () => {
        await reading;
        await sql.end({ timeout: 1 });
      });
    },
  },
  {
    name: "a logical replication slot without a consumer",
    begin: async (databaseUrl) => {
      const sql = openSession(databaseUrl);
      await sql`select pg_create_logical_replication_slot('soak', 'pgoutput')`;
      return () => sql.end({ timeout: 1 });
    },
  },
];

function openSession(databaseUrl: string): Sql {
  return postgres(databaseUrl, { max: 1, onnotice: () => {} });
}
