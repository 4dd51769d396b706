import type { Database } from "../database/database.ts";

/** Most rows of each kind that one maintenance run changes. */
const maintenanceBatch = 500;

/** Most batches of one kind that one maintenance run takes: what is left waits for the next one. */
const maxSteps = 20;

/** Ends claims whose lease has expired: their messages become `unconfirmed`. */
export function expireClaims(database: Database): Promise<{ readonly expired: number }> {
  return database.rpc("expire_claims", { maxMessages: maintenanceBatch });
}

/** Takes steps until one says that it was the last. */
async function repeat(isLast: () => Promise<boolean>): Promise<void> {
  for (let step = 0; step < maxSteps; step++) {
    if (await isLast()) return;
  }
}

/** Ends messages that waited beyond their `expiresAt`: they become `expired`, and are never sent. */
export async function expireMessages(database: Database): Promise<{ readonly expired: number }> {
  let expired = 0;
  await repeat(async () => {
    const ended = await database.rpc("expire_messages", { maxMessages: maintenanceBatch });
    expired += ended.expired;
    return ended.expired < maintenanceBatch;
  });
  return { expired };
}

/** Tells the conversations whose silence is as long as their instance's `idle` says. */
export async function tellIdleConversations(database: Database): Promise<void> {
  const request = { maxConversations: maintenanceBatch };
  await repeat(async () => (await database.rpc("tell_idle_conversations", request)).isComplete);
}

/** Most turns that one step ends: each writes out up to 50 records. */
const turnsOfStep = 50;

/**
 * Ends the turns that are due. What another process ends is left to it.
 *
 * @param isOver whether no further step may begin.
 */
export async function endTurns(database: Database, isOver: () => boolean): Promise<void> {
  const request = { maxTurns: turnsOfStep };
  await repeat(async () => (await database.rpc("end_turns", request)).isComplete || isOver());
}

/** Ends payment requests whose time is over. What another process holds is due again. */
export async function runPayments(database: Database): Promise<{ readonly expired: number }> {
  let expired = 0;
  await repeat(async () => {
    const run = await database.rpc("run_payments", { maxPayments: maintenanceBatch });
    expired += run.expired;
    return run.isComplete || run.expired === 0;
  });
  return { expired };
}

/** Reminds of questions, and ends those whose time is over; `sent` counts the reminders that are to leave. */
export async function runQuestions(database: Database): Promise<{ readonly sent: number }> {
  let sent = 0;
  await repeat(async () => {
    const run = await database.rpc("run_questions", { maxQuestions: maintenanceBatch });
    sent += run.sent;
    return run.isComplete || run.worked === 0;
  });
  return { sent };
}

/** Sends unconfirmed messages again on instances whose `onUnconfirmed` is `retry`. */
export function retryUnconfirmed(database: Database): Promise<{ readonly requeued: number }> {
  return database.rpc("retry_unconfirmed", { maxMessages: maintenanceBatch });
}

/**
 * Holds instances that accept messages and confirm none any more; releases those that have confirmed.
 */
export function holdSuspects(
  database: Database,
): Promise<{ readonly held: number; readonly released: number }> {
  return database.rpc("hold_suspects", { maxInstances: maintenanceBatch });
}

/** Wakes instances with due messages that no worker looks at. None is ever expected. */
export function rescueStalledInstances(database: Database): Promise<{ readonly woken: number }> {
  return database.rpc("rescue_stalled_instances", { maxInstances: maintenanceBatch });
}

/**
 * Moves some of the slots that a changed send window left to the dispatcher; `isComplete` if none
 * remains.
 */
export function moveWaitingSlots(
  database: Database,
): Promise<{ readonly moved: number; readonly isComplete: boolean }> {
  return database.rpc("move_waiting_slots", {});
}

/** Most rows of each kind that one step of an erasure deletes or looks through. */
const erasureBatch = 5_000;

/** Takes the next step of an erasure, see `run_erasures`; `isComplete` if none is left to do. */
export function runErasures(database: Database): Promise<{ readonly isComplete: boolean }> {
  return database.rpc("run_erasures", { maxRows: erasureBatch });
}

/**
 * Most messages that one step of a merge moves: some tenths of a second, for which a call that changes one of
 * them waits.
 */
const mergeBatch = 1_000;

/** Takes the next step of a merge, see `run_merges`; `isComplete` if none can go on. */
export function runMerges(database: Database): Promise<{ readonly isComplete: boolean }> {
  return database.rpc("run_merges", { maxRows: mergeBatch });
}

/** Most persons, and most contacts of a change of scope, that one step looks at: some tenths of a second. */
const peopleStep = { maxPersons: 200, maxContacts: 2_000 } as const;

/**
 * Brings what persons have said at one instance of a workspace to its others, see `update_people`;
 * `isComplete` if nothing is left that could be done now.
 */
export function updatePeople(database: Database): Promise<{ readonly isComplete: boolean }> {
  return database.rpc("update_people", peopleStep);
}

/** Gives running batches their next message where none of theirs waits; see `feed_batches`. */
export function feedBatches(database: Database): Promise<{ readonly fed: number }> {
  return database.rpc("feed_batches", { maxInstances: maintenanceBatch });
}

/** The same for one instance, as soon as it has room for more. */
export function feedBatchesOf(
  database: Database,
  instanceId: string,
): Promise<{ readonly fed: number }> {
  return database.rpc("feed_batches", { maxInstances: 1, instanceId });
}

/** Most rows of each table that one run deletes: some tens of milliseconds of database time. */
const purgeBatch = 2_000;

/** Deletes expired rows, see `purge_expired`; `isComplete` if none remains. */
export function purgeExpired(
  database: Database,
): Promise<{ readonly purged: number; readonly isComplete: boolean }> {
  return database.rpc("purge_expired", { maxRows: purgeBatch });
}

/** Most changes of sums that one step adds up: some tens of milliseconds of database time. */
const foldedChanges = 5_000;

/** Adds up what was counted of messages; `isComplete` if nothing is left. */
export function foldUsage(database: Database): Promise<{ readonly isComplete: boolean }> {
  return database.rpc("fold_usage", { maxChanges: foldedChanges });
}
