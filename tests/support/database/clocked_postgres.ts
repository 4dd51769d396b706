/** A server of Postgres whose clock a test sets while it runs: its functions keep the machine's. */

import { makeSettableClock } from "../clock/settable_clock.ts";
import { type OwnPostgres, startOwnPostgres } from "./own_postgres.ts";

/** The server, with this version's database. */
export interface ClockedPostgres extends OwnPostgres {
  /** How far its clock is ahead of this machine's from now on; negative for behind. */
  setClock(offsetSeconds: number): Promise<void>;
  /** What its clock shows. */
  now(): Promise<Date>;
}

/** Starts it on the machine's time. @throws {Error} where its clock cannot be set. */
export async function startClockedPostgres(): Promise<ClockedPostgres> {
  await using cleanup = new AsyncDisposableStack();
  const clock = await makeSettableClock();
  if ("obstacle" in clock) throw new Error(clock.obstacle);
  cleanup.use(clock);
  const { databaseUrl, admin } = cleanup.use(
    await startOwnPostgres({ name: "with a clock of its own", environment: clock.environment }),
  );
  const keep = cleanup.move();
  return {
    databaseUrl,
    admin,
    setClock: clock.set,
    now: async () => {
      const [row] = await admin<{ now: Date }[]>`select clock_timestamp() as now`;
      return row!.now;
    },
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}
