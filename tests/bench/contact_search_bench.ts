import type { Sql } from "postgres";
import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { measureMs } from "./load.ts";
import { median, openMeter } from "./meter.ts";
import { storeContacts, storedFilters } from "./stored_contacts.ts";
import { createTenants } from "./tenants.ts";

const limit = 50;
/** From the sixth call on Postgres may use a generic plan, which ignores the values. */
const warmUps = 7;
const callsPerRound = 2;

interface Search {
  readonly what: string;
  readonly filters: Readonly<Record<string, unknown>>;
  /** Share of the contacts in the order of creation that the pages before have shown. */
  readonly from?: number;
}

const { commonTag, rareTag, busyOperator, idleOperator } = storedFilters;
const searches: readonly Search[] = [
  { what: "no filter", filters: {} },
  { what: "no filter, from the middle", filters: {}, from: 0.5 },
  { what: '"maria", 6 %', filters: { q: "maria" } },
  { what: '"maria", from the middle', filters: { q: "maria" }, from: 0.5 },
  { what: '"maria", the last page', filters: { q: "maria" }, from: 0.9999 },
  { what: '"marisa", 1 %', filters: { q: "marisa" } },
  { what: '"marilda", 0.1 %', filters: { q: "marilda" } },
  { what: '"maria silva", 0.9 %', filters: { q: "maria silva" } },
  { what: '"joão", 12 %', filters: { q: "joão" } },
  { what: '"JOAO", 12 %', filters: { q: "JOAO" } },
  { what: '"ma", every second', filters: { q: "ma" } },
  { what: '"zu", nobody', filters: { q: "zu" } },
  { what: '"martims", nobody', filters: { q: "martims" } },
  { what: "10,000 phones in a row", filters: { q: "90012" } },
  { what: "one phone", filters: { q: "5521900012345" } },
  { what: "a rare tag", filters: { tag: rareTag } },
  { what: "a common tag, the last page", filters: { tag: commonTag }, from: 0.9999 },
  { what: "a busy operator", filters: { assignedTo: busyOperator } },
  { what: "denied consent, 2 %", filters: { consent: "denied" } },
  { what: '"maria" with a rare tag', filters: { q: "maria", tag: rareTag } },
  { what: '"maria" of an idle operator', filters: { q: "maria", assignedTo: idleOperator } },
  { what: '"maria" with denied consent', filters: { q: "maria", consent: "denied" } },
  { what: "changes", filters: { updatedSince: "2020-01-01T00:00:00Z" } },
  {
    what: 'changes of "marilda"',
    filters: { q: "marilda", updatedSince: "2020-01-01T00:00:00Z" },
  },
];

/** Looks for contacts in a large instance, beside another one, by name and by other filters. */
export const contactSearchBench: Bench = {
  name: "contact_search",
  title: `A page of ${limit} contacts, by filters, beside another large instance`,
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
    for (const { what, filters, from } of searches) {
      const after = from === undefined ? null : await findPlace(database.admin, searched, from);
      const statement = `select public.list_contacts($request$${
        JSON.stringify({ instanceId: searched, ...filters, limit, after })
      }$request$::jsonb)`;
      const works = [];
      const elapsedMs: number[] = [];
      let found = 0;
      for (let call = -warmUps; call < sizes.rounds * callsPerRound; call += 1) {
        const work = await meter.measure(statement);
        const ms = await measureMs(async () => found = await readPage(sql, statement));
        if (call < 0) continue;
        works.push(work);
        elapsedMs.push(ms);
      }
      report.figure({
        what,
        value: median(works.map(({ ms }) => ms)),
        unit: "ms",
        // Where few have each of two common filters, a page reads what it may, and shows what it found.
        bar: { kind: "at most", value: "q" in filters && "consent" in filters ? 100 : 50 },
        note: `${found} found, ${median(works.map(({ pages }) => pages))} pages; ` +
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

/** The end of a page, after that share of the instance's contacts. */
async function findPlace(
  admin: Sql,
  instanceId: string,
  share: number,
): Promise<{ readonly createdAt: string; readonly id: string }> {
  const [row] = await admin<{ createdAt: Date; id: string }[]>`
    select created_at as "createdAt", contact_id as id
    from messaging.contact_search
    where instance_id = ${instanceId}
      and created_at <= now() - interval '365 days' * ${1 - share}::float8
    order by created_at desc, contact_id desc
    limit 1`;
  if (row === undefined) throw new Error("there are no contacts");
  return { createdAt: row.createdAt.toISOString(), id: row.id };
}

async function readPage(sql: Sql, statement: string): Promise<number> {
  const [row] = await sql.unsafe(statement);
  const items: readonly unknown[] = row?.["list_contacts"].items ?? [];
  return items.length;
}
