import type { Database } from "./database/database.ts";

/** What one look after the queue has mended: all zero in health, but for `requeued`. */
export interface Upkeep {
  /** Claims whose worker died; their messages are `unconfirmed` now. */
  readonly expired: number;
  /** Unconfirmed messages sent again, on instances that chose so. */
  readonly requeued: number;
  /** Instances that had been forgotten: never expected. */
  readonly woken: number;
}

/** Rows that one look after the queue touches at most, of each kind. */
const upkeepBatch = 500;

/** Ends dead claims, sends again what may be, wakes what was forgotten; bounded, repeatable. */
export async function keepQueueUp(database: Database): Promise<Upkeep> {
  const { expired } = await expireClaims(database);
  const { requeued } = await database.rpc<{ requeued: number }>("retry_unconfirmed", {
    maxMessages: upkeepBatch,
  });
  const { woken } = await database.rpc<{ woken: number }>("wake_sleepers", {
    maxInstances: upkeepBatch,
  });
  return { expired, requeued, woken };
}

/** Ends claims whose lease is over: their messages become `unconfirmed`. */
export function expireClaims(database: Database): Promise<{ readonly expired: number }> {
  return database.rpc("expire_claims", { maxMessages: upkeepBatch });
}

/** Rows of each table that one pass deletes at most: some tens of milliseconds of the database. */
const purgeBatch = 2_000;

/** Deletes what has outlived its use, see `purge_expired`; `isComplete` where none of it is left. */
export function purgeExpired(
  database: Database,
): Promise<{ readonly purged: number; readonly isComplete: boolean }> {
  return database.rpc("purge_expired", { maxRows: purgeBatch });
}
