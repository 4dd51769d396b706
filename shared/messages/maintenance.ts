import type { Database } from "../database/database.ts";

/** Rows that one look after the queue touches at most, of each kind. */
const upkeepBatch = 500;

/** Ends claims whose lease is over: their messages become `unconfirmed`. */
export function expireClaims(database: Database): Promise<{ readonly expired: number }> {
  return database.rpc("expire_claims", { maxMessages: upkeepBatch });
}

/** Sends again what stayed unconfirmed, on instances that chose so. */
export function retryUnconfirmed(database: Database): Promise<{ readonly requeued: number }> {
  return database.rpc("retry_unconfirmed", { maxMessages: upkeepBatch });
}

/** Wakes instances that had been forgotten: none is ever expected. */
export function rescueStalledInstances(database: Database): Promise<{ readonly woken: number }> {
  return database.rpc("rescue_stalled_instances", { maxInstances: upkeepBatch });
}

/**
 * Moves some of the slots that a changed send window has left to the dispatcher; `isComplete` where
 * none is left.
 */
export function moveWaitingSlots(
  database: Database,
): Promise<{ readonly moved: number; readonly isComplete: boolean }> {
  return database.rpc("move_waiting_slots", {});
}

/** Rows of each table that one pass deletes at most: some tens of milliseconds of the database. */
const purgeBatch = 2_000;

/** Deletes what has outlived its use, see `purge_expired`; `isComplete` where none of it is left. */
export function purgeExpired(
  database: Database,
): Promise<{ readonly purged: number; readonly isComplete: boolean }> {
  return database.rpc("purge_expired", { maxRows: purgeBatch });
}
