import type { Sql } from "postgres";
import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { median, type Meter, openMeter } from "./meter.ts";
import { createTenants } from "./tenants.ts";

const few = 5_000;
const limit = 100;
/** What one pass of maintenance purges of each table at most. */
const purgeBatch = 2_000;
/** From the sixth call on Postgres may use a generic plan, which ignores the values. */
const warmUps = 7;
const callsPerRound = 3;
/** Events that one statement stores. */
const batch = 500_000;

/** Reads and purges the feed of an instance among few and among many events. */
export const feedBench: Bench = {
  name: "feed",
  title: `A page of ${limit} events and one pass of the purge, by the length of the feed`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    await using small = await server.createDatabase();
    await using large = await server.createDatabase();
    const calls = sizes.rounds * callsPerRound;
    const names = [`${sizes.events.toLocaleString("en-US")}`, `${few.toLocaleString("en-US")}`];
    const sides = [await prepare(large, sizes.events), await prepare(small, few)];
    report.note(`${names.join(" events : ")} events, half of them of the instance`);
    for (const what of Object.keys(sides[0]?.statements ?? {})) {
      const works = await Promise.all(sides.map(({ measure }) => measure(what, calls)));
      const [over, under] = works;
      if (over === undefined || under === undefined) continue;
      report.figure({
        what,
        value: over.ms / under.ms,
        unit: "times",
        bar: { kind: "at most", value: 1.5 },
        note:
          `${over.ms.toFixed(2)} ms and ${over.pages} pages against ${under.ms.toFixed(2)} ms ` +
          `and ${under.pages} pages`,
      });
    }
    report.note(await purgeAll(large));
  },
};

interface Side {
  readonly statements: Readonly<Record<string, string>>;
  measure(what: string, calls: number): Promise<{ readonly ms: number; readonly pages: number }>;
}

async function prepare(database: BenchDatabase, events: number): Promise<Side> {
  const { admin } = database;
  await createTenants(admin, { instances: 2, contactsEach: 1 });
  const [instance = ""] = (await admin<{ id: string }[]>`
    select id from messaging.instances order by name`).map(({ id }) => id);
  await storeEvents(admin, events);
  const read = (request: object): string =>
    `select public.read_events($request$${
      JSON.stringify({ instanceId: instance, types: null, limit, ...request })
    }$request$::jsonb)`;
  const place = (share: number): Promise<string> => findCursor(admin, instance, share);
  const statements = {
    "the first page": read({ after: "oldest" }),
    "a page in the middle": read({ after: await place(0.5) }),
    "a page in the middle, of one type in ten": read({
      ...{ after: await place(0.4), types: ["message.received"] },
    }),
    "the last page": read({ after: await place(0.9), limit: 50 }),
    "a look at the end, where nothing is new": read({ after: await place(1) }),
    "now": read({ after: null }),
    "one pass of the purge": `select messaging.purge_events(${purgeBatch / 20}, clock_timestamp())`,
  };
  const meter: Meter = await openMeter(database);
  return {
    statements,
    measure: async (what, calls) => {
      const statement = statements[what as keyof typeof statements];
      const works = [];
      for (let call = -warmUps; call < calls; call += 1) {
        const work = await meter.measure(statement);
        if (call >= 0) works.push(work);
      }
      return {
        ms: median(works.map(({ ms }) => ms)),
        pages: median(works.map(({ pages }) => pages)),
      };
    },
  };
}

/** Events of the last 40 days, of two instances in turn: a quarter of them are due to be purged. */
async function storeEvents(admin: Sql, count: number): Promise<void> {
  for (let from = 1; from <= count; from += batch) {
    const to = Math.min(from + batch - 1, count);
    await admin`
      insert into messaging.events (instance_id, contact_id, type, recorded_at, message)
      select c.instance_id, c.contact_id,
        case when n / 2 % 10 = 0 then 'message.received' else 'message.delivered' end,
        now() - interval '40 days' * (1 - n / ${count}::float8),
        row(
          gen_random_uuid(), 'outbound', 'delivered', 'text',
          'Seu pedido ' || n || ' saiu para entrega e chega hoje à tarde. Até logo.', null, null, null,
          c.contact_id, c.id, '3EB0' || n, null, null, now(), now(), now(), null, null, 1, null,
          'Ana Souza', '5511987654321', null, null, null
        )::messaging.message_snapshot
      from generate_series(${from}::integer, ${to}::integer) as n
      join (
        select v.*, row_number() over (order by i.name) - 1 as place
        from messaging.conversations v
        join messaging.instances i on i.id = v.instance_id
      ) as c on c.place = n % 2`;
  }
  await admin`vacuum analyze messaging.events`;
}

/** The cursor after that share of the instance's events. */
async function findCursor(admin: Sql, instanceId: string, share: number): Promise<string> {
  const [row] = await admin<{ cursor: string }[]>`
    select messaging.seal_event_cursor(
      (
        select e.sequence from messaging.events e
        where (e.instance_id, e.sequence) <= (
            ${instanceId}::uuid, (select max(sequence) from messaging.events) * ${share}::float8
          )
        order by e.instance_id desc, e.sequence desc
        limit 1
      ),
      (messaging.event_stream(${instanceId}::uuid)).cursor_key
    ) as cursor`;
  return row?.cursor ?? "";
}

/** Purges all that is due, as maintenance does, pass by pass, without a vacuum between them. */
async function purgeAll(database: BenchDatabase): Promise<string> {
  const sql = database.connect(1);
  const elapsedMs: number[] = [];
  let purged = 0;
  for (;;) {
    const startedAt = performance.now();
    const [row] = await sql<{ deleted: number }[]>`
      select messaging.purge_events(${purgeBatch}, clock_timestamp()) as deleted`;
    elapsedMs.push(performance.now() - startedAt);
    purged += row?.deleted ?? 0;
    if ((row?.deleted ?? 0) < purgeBatch) break;
  }
  const tenth = Math.max(1, Math.floor(elapsedMs.length / 10));
  const [first, last] = [elapsedMs.slice(0, tenth), elapsedMs.slice(-tenth - 1, -1)].map(median);
  return `purged ${
    purged.toLocaleString("en-US")
  } in ${elapsedMs.length} passes of ${purgeBatch}: ` +
    `${first?.toFixed(1)} ms a pass at first, ${last?.toFixed(1)} ms at the end`;
}
