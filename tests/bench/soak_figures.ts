/** What the database tells of dead rows, and what calls cost it in pages, while a load goes on. */

import postgres, { type Sql } from "postgres";
import { callFunction, enqueueText } from "../support/database/queue_calls.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { callAndCountPages } from "../support/database/pages_read.ts";
import { rollBack } from "../support/database/rolled_back.ts";
import { messageText } from "./product_calls.ts";
import type { Recipient } from "./tenants.ts";

/** How many messages the measured claim takes. */
export const claimSize = 100;

/** Pages that a call reads or finds in the cache. */
export interface CallPages {
  /** A claim of 100 due messages. */
  readonly claim: number;
  readonly accept: number;
  readonly settle: number;
  /** A text of a known contact. */
  readonly inbound: number;
}

export interface TableFigures {
  readonly name: string;
  readonly deadRows: number;
  readonly bytes: number;
  readonly indexes: Readonly<Record<string, number>>;
  readonly updates: number;
  /** Of them those that wrote no index. */
  readonly hotUpdates: number;
}

/** The hot tables with their indexes. */
export async function readTables(admin: Sql): Promise<TableFigures[]> {
  return await admin<TableFigures[]>`
    select c.relname as name, pg_stat_get_dead_tuples(c.oid)::float as "deadRows",
      pg_table_size(c.oid)::float as bytes, pg_stat_get_tuples_updated(c.oid)::float as updates,
      pg_stat_get_tuples_hot_updated(c.oid)::float as "hotUpdates",
      (
        select jsonb_object_agg(x.indexrelid::regclass::text, pg_relation_size(x.indexrelid))
        from pg_index x where x.indrelid = c.oid
      ) as indexes
    from unnest(messaging.hot_tables()) with ordinality as t(name, place)
    join pg_class c on c.relname = t.name and c.relnamespace = 'messaging'::regnamespace
    order by t.place`;
}

/** Pages that all sessions of the database have read or found in the cache. */
export async function readPages(admin: Sql): Promise<number> {
  const [row] = await admin<{ pages: number }[]>`
    select (blks_hit + blks_read)::float as pages from pg_stat_database
    where datname = current_database()`;
  return row?.pages ?? 0;
}

/** From the slot to the acceptance by the provider, of the paced messages since then, in milliseconds. */
export async function readLateness(admin: Sql, since: Date): Promise<number[]> {
  const rows = await admin<{ late: number }[]>`
    select extract(epoch from sent_at - scheduled_for)::float * 1000 as late
    from messaging.messages
    where mode = 'queued' and direction = 'outbound' and sent_at > ${since}`;
  return rows.map(({ late }) => late);
}

/** Measures calls in transactions that are rolled back. */
export interface CallProbe {
  measure(): Promise<CallPages>;
}

/**
 * Opens a session of its own, closed with the database.
 *
 * @param parked instances whose queues nothing else uses: the claim takes their messages.
 * @param busy instances of the load, each with the phone of one of its contacts.
 */
export async function openCallProbe(
  database: BenchDatabase,
  parked: readonly Recipient[],
  busy: readonly { readonly instanceId: string; readonly phone: string }[],
): Promise<CallProbe> {
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  database.closeFirst(() => sql.end({ timeout: 3 }));
  const instanceIds = parked.map(({ instanceId }) => instanceId);
  await sql.begin(async (transaction) => {
    for (const { instanceId, phone } of parked) {
      await enqueueText(transaction as unknown as Sql, instanceId, { phone, intervalSeconds: 0 });
    }
    await setSlots(transaction as unknown as Sql, instanceIds, "'2099-01-01'");
  });
  let turn = 0;
  const measure = async (): Promise<CallPages> => {
    const one = busy[turn++ % busy.length] as typeof busy[number];
    return {
      claim: await rollBack(sql, async (transaction) => {
        // Just due: a claim comes past all that was due before.
        await setSlots(transaction, instanceIds, "now() - interval '1 millisecond'");
        return await callAndCountPages(transaction, "claim_due_messages", {
          ...{ maxMessages: claimSize, leaseSeconds: 35 },
        });
      }),
      accept: await rollBack(
        sql,
        (transaction) => callAndCountPages(transaction, "accept_message", accept(one)),
      ),
      settle: await rollBack(sql, async (transaction) => {
        const { messageId, claimToken } = await callFunction<Record<string, string>>(
          transaction,
          "accept_message",
          accept(one),
        );
        return await callAndCountPages(transaction, "settle_messages", {
          results: [
            { messageId, claimToken, outcome: "accepted", providerMessageId: crypto.randomUUID() },
          ],
          ...{ idempotency: null, response: null },
        });
      }),
      inbound: await rollBack(
        sql,
        (transaction) => callAndCountPages(transaction, "record_provider_events", receive(one)),
      ),
    };
  };
  // What a session reads of the catalogue it reads once.
  for (let time = 0; time < busy.length; time++) await measure();
  return {
    measure: async () => {
      const all: CallPages[] = [];
      for (let time = 0; time < busy.length; time++) all.push(await measure());
      const mean = (name: keyof CallPages): number =>
        all.reduce((sum, pages) => sum + pages[name], 0) / all.length;
      return {
        ...{ claim: mean("claim"), accept: mean("accept") },
        ...{ settle: mean("settle"), inbound: mean("inbound") },
      };
    },
  };
}

async function setSlots(
  sql: Sql,
  instanceIds: readonly string[],
  instant: string,
): Promise<void> {
  await sql.unsafe(
    `update messaging.message_queue set scheduled_at = ${instant} where instance_id = any ($1)`,
    [instanceIds as string[]],
  );
  await sql.unsafe(
    `update messaging.dispatch set next_due_at = ${instant} where instance_id = any ($1)`,
    [instanceIds as string[]],
  );
}

interface Addressed {
  readonly instanceId: string;
  readonly phone: string;
}

function accept({ instanceId, phone }: Addressed): Readonly<Record<string, unknown>> {
  return {
    ...{ instanceId, phone, idempotency: null, assignment: null, agent: null },
    message: { messageType: "text", message: messageText },
    delivery: { queued: false, delaySeconds: 0, intervalSeconds: 30, leaseSeconds: 35 },
  };
}

function receive({ instanceId, phone }: Addressed): Readonly<Record<string, unknown>> {
  return {
    ...{ instanceId, sealedProviderConfig: "s".repeat(200), payload: '{"a": 1}' },
    events: [{
      ...{ kind: "message", origin: "inbound", providerMessageId: crypto.randomUUID() },
      ...{ address: phone, otherAddresses: [], isGroup: false },
      ...{ messageType: "text", message: messageText, at: new Date().toISOString() },
    }],
  };
}
