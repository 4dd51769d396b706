/** Many messages over many instances, and what came of them: at the provider and in the database. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "./assert.ts";
import type { DoubleRequest } from "./http_double.ts";
import { enqueueText } from "./database/queue_calls.ts";
import { createTenant, type Tenant } from "./tenant.ts";
import { waitUntil } from "./wait_until.ts";

export interface BacklogOptions {
  readonly instances: number;
  readonly messages: number;
  readonly intervalSeconds: number;
  /** Where the provider double listens. */
  readonly baseUrl: string;
}

export interface Backlog {
  readonly tenants: readonly Tenant[];
  readonly options: BacklogOptions;
}

/**
 * Makes the instances and queues the messages, every instance its share, numbered in order. Their
 * first slots are spread over an interval: something is on its way at any moment.
 */
export async function createBacklog(admin: Sql, options: BacklogOptions): Promise<Backlog> {
  const { instances, messages, intervalSeconds, baseUrl } = options;
  const tenants = await Promise.all(
    Array.from({ length: instances }, () => createTenant(admin, { baseUrl })),
  );
  await Promise.all(tenants.map(async ({ instanceId }, place) => {
    for (let number = place; number < messages; number += instances) {
      const delaySeconds = number < instances ? intervalSeconds * place / instances : 0;
      await enqueueText(admin, instanceId, {
        ...{ message: String(number), intervalSeconds, delaySeconds },
      });
    }
  }));
  return { tenants, options };
}

/** Waits until no message is on its way any more. */
export async function waitUntilSettled(admin: Sql, timeoutMs = 20 * 60_000): Promise<void> {
  await waitUntil(async () => await countOpen(admin) === 0, {
    timeoutMs,
    intervalMs: 250,
    what: "every message to be settled",
  });
}

/** Messages that wait or are in flight. */
export async function countOpen(admin: Sql): Promise<number> {
  const [row] = await admin<{ open: number }[]>`
    select count(*)::integer as open from messaging.messages where status in ('queued', 'sending')`;
  return row?.open ?? 0;
}

/** What a backlog came to. */
export interface BacklogCounts {
  readonly messages: number;
  readonly sent: number;
  readonly unconfirmed: number;
  /** Of the unconfirmed ones, how many the provider has. */
  readonly unconfirmedButReceived: number;
  readonly receivedTwice: number;
  /** Shortest time between two messages of an instance, at the provider. */
  readonly smallestGapMs: number;
}

/**
 * How much closer than its interval a message may follow at the provider, as a part of the interval.
 * An instance that is up to 50 ms late keeps to its slots; the rest is the way from the claim to
 * the provider, which a machine that is busy with other tests makes longer for one message than for
 * the next. The figures say how close it really was.
 */
const paceTolerance = 0.5;

/**
 * Holds a settled backlog to the promise: each message received once, or `unconfirmed` and received
 * at most once; each instance's messages in order, and an interval apart.
 */
export async function checkBacklog(
  admin: Sql,
  backlog: Backlog,
  requests: readonly DoubleRequest[],
): Promise<BacklogCounts> {
  const rows = await admin<{ message: string; status: string }[]>`
    select message, status from messaging.messages
    where instance_id = any (${backlog.tenants.map(({ instanceId }) => instanceId)})`;
  assertEquals(rows.length, backlog.options.messages, "no message is lost");
  const received = Map.groupBy(requests, ({ json }) => String(json["message"]));
  const times = (message: string): number => received.get(message)?.length ?? 0;
  for (const { message, status } of rows) {
    if (status === "sent") assertEquals(times(message), 1, `message ${message} is sent`);
    else assertEquals(status, "unconfirmed", `message ${message}`);
    assert(times(message) <= 1, `message ${message} arrived ${times(message)} times`);
  }
  const unconfirmed = rows.filter(({ status }) => status === "unconfirmed");
  return {
    messages: rows.length,
    sent: rows.length - unconfirmed.length,
    unconfirmed: unconfirmed.length,
    unconfirmedButReceived: unconfirmed.filter(({ message }) => times(message) === 1).length,
    receivedTwice: rows.filter(({ message }) => times(message) > 1).length,
    smallestGapMs: checkPace(backlog, requests),
  };
}

/** Order and pace of every instance. @returns the shortest gap there was. */
export function checkPace({ options }: Backlog, requests: readonly DoubleRequest[]): number {
  let smallestGapMs = Infinity;
  for (const ofInstance of Map.groupBy(requests, ({ path }) => path).values()) {
    for (const [index, { json, receivedAtMs }] of ofInstance.entries()) {
      const previous = ofInstance[index - 1];
      if (previous === undefined) continue;
      const [number, before] = [Number(json["message"]), Number(previous.json["message"])];
      assert(number > before, `message ${number} came after ${before}`);
      smallestGapMs = Math.min(smallestGapMs, receivedAtMs - previous.receivedAtMs);
    }
  }
  assert(
    smallestGapMs >= options.intervalSeconds * 1_000 * (1 - paceTolerance),
    `two messages of an instance came ${smallestGapMs} ms apart`,
  );
  return Math.round(smallestGapMs);
}
