import type { Sql, TransactionSql } from "postgres";
import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { measureMs } from "./load.ts";
import { median, openMeter } from "./meter.ts";
import { createTenants } from "./tenants.ts";

const limit = 50;
/** From the sixth call on Postgres may use a generic plan, which ignores the values. */
const warmUps = 7;
const callsPerRound = 5;
/** Contacts that one statement stores. */
const batch = 100_000;

/** What is looked for, and how many of 1,000 contacts have it; all share pieces with common names. */
const searches = [["maria", 60], ["marisa", 10], ["marilda", 1]] as const;
const others = ["Ana", "Mariana", "Marcos", "Adriana", "Gloria", "Isabela", "João", "Marcela"];

/** Looks for contacts by name in a large instance, beside another one. */
export const contactSearchBench: Bench = {
  name: "contact_search",
  title: `The first ${limit} contacts that a name finds, beside another large instance`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    await using database = await server.createDatabase();
    const [searched = "", neighbour = ""] = await createInstances(database);
    await storeContacts(database.admin, {
      [searched]: sizes.contacts,
      [neighbour]: Math.ceil(sizes.contacts / 4),
    });
    const meter = await openMeter(database);
    const sql = database.connect(1);
    report.note(`${sizes.contacts.toLocaleString("en-US")} contacts; ${meter.unit}`);
    for (const [name, frequency] of searches) {
      const statement = `select public.list_contacts($request$${
        JSON.stringify({ instanceId: searched, q: name, limit, after: null })
      }$request$::jsonb)`;
      const works = [];
      const elapsedMs: number[] = [];
      for (let call = -warmUps; call < sizes.rounds * callsPerRound; call += 1) {
        const work = await meter.measure(statement);
        const ms = await measureMs(() => readPage(sql, statement));
        if (call < 0) continue;
        works.push(work);
        elapsedMs.push(ms);
      }
      report.figure({
        what: `"${name}", which ${frequency / 10} % have`,
        value: median(works.map(({ ms }) => ms)),
        unit: "ms",
        bar: { kind: "at most", value: 50 },
        note: `${median(works.map(({ pages }) => pages))} pages; ` +
          `${median(elapsedMs).toFixed(1)} ms passed for a client`,
      });
    }
  },
};

async function createInstances({ admin }: BenchDatabase): Promise<string[]> {
  await createTenants(admin, { instances: 2, contactsEach: 0 });
  const rows = await admin<{ id: string }[]>`select id from messaging.instances order by name`;
  return rows.map(({ id }) => id);
}

/**
 * Stores contacts of a year, the searched names evenly among them. The index of the search is built at
 * the end: entry by entry it would take several times as long.
 */
async function storeContacts(admin: Sql, counts: Readonly<Record<string, number>>): Promise<void> {
  const [index] = await admin<{ indexdef: string }[]>`
    select indexdef from pg_indexes
    where schemaname = 'messaging' and indexname = 'contact_search_keys'`;
  if (index === undefined) throw new Error("there is no index of the search");
  await admin`drop index messaging.contact_search_keys`;
  for (const [instanceId, count] of Object.entries(counts)) {
    for (let from = 1; from <= count; from += batch) {
      const to = Math.min(from + batch - 1, count);
      await admin.begin((sql) => storeBatch(sql, instanceId, { from, to, count }));
    }
  }
  await admin.begin(async (sql) => {
    await sql`set local maintenance_work_mem = '1GB'`;
    await sql.unsafe(index.indexdef);
  });
  await admin`vacuum analyze`;
}

async function storeBatch(
  sql: TransactionSql,
  instanceId: string,
  { from, to, count }: { readonly from: number; readonly to: number; readonly count: number },
): Promise<void> {
  const [often, rarely, hardlyEver] = searches.map(([, frequency]) => frequency);
  // The rows are consistent. The triggers would take most of the time.
  await sql`set local session_replication_role = replica`;
  await sql`
    insert into messaging.contacts (
      instance_id, phone, identity_key, name, email, company, origin, created_at
    )
    select ${instanceId}::uuid, '5521' || (900000000 + n), '5521' || (900000000 + n),
      first.name || ' ' || last.name, lower(last.name) || n || '@example.com',
      case when n % 5 = 0 then 'Padaria ' || last.name end, 'api',
      now() - interval '365 days' * (1 - n / ${count}::float8)
    from generate_series(${from}::integer, ${to}::integer) as n
    cross join lateral (select n::bigint * 7919 % 1000 as place) as drawn
    cross join lateral (
      select case
        when place < ${often ?? 0}::integer then 'Maria'
        when place < ${(often ?? 0) + (rarely ?? 0)}::integer then 'Marisa'
        when place < ${(often ?? 0) + (rarely ?? 0) + (hardlyEver ?? 0)}::integer then 'Marilda'
        else (${[...others]}::text[])[1 + place % ${others.length}::integer]
      end as name
    ) as first
    cross join lateral (
      select (array['Silva', 'Souza', 'Oliveira', 'Lima', 'Pereira', 'Araújo', 'Martins'])[
        1 + n % 7
      ] as name
    ) as last`;
  await sql`
    insert into messaging.contact_activity (contact_id, instance_id, updated_at)
    select id, instance_id, now() from messaging.contacts
    on conflict do nothing`;
  await sql`select messaging.fill_contact_search()`;
}

async function readPage(sql: Sql, statement: string): Promise<void> {
  const [row] = await sql.unsafe(statement);
  const items: readonly unknown[] = row?.["list_contacts"].items ?? [];
  if (items.length !== limit) throw new Error(`${items.length} contacts were found`);
}
