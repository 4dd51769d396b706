import type { Sql, TransactionSql } from "postgres";

/** Contacts that one statement stores. */
const batch = 100_000;

/** Names that a search looks for, and how many of 1,000 contacts have each. */
const soughtNames = [["maria", 60], ["marisa", 10], ["marilda", 1]] as const;
/** The names of all others: most share pieces with the sought ones. */
const otherNames = ["Ana", "Mariana", "Marcos", "Adriana", "Gloria", "Isabela", "João", "Marcela"];
const lastNames = ["Silva", "Souza", "Oliveira", "Lima", "Pereira", "Araújo", "Martins"];

/** What contacts are filtered by beside their names: the tags and operators that storeContacts makes. */
export const storedFilters = {
  /** Of every second contact. */
  commonTag: "cliente",
  /** Of every 5,000th. */
  rareTag: "vip",
  /** Every tenth contact is assigned to this operator. */
  busyOperator: "clara@example.com",
  /** Every 5,000th is. */
  idleOperator: "bruno@example.com",
} as const;

/**
 * Stores contacts of a year in each instance: the sought names evenly among them, tags, conversations with
 * operators, and 2 % who have denied marketing. The index of the search is built at the end: entry by
 * entry it would take several times as long.
 */
export async function storeContacts(
  admin: Sql,
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  const [index] = await admin<{ indexdef: string }[]>`
    select indexdef from pg_indexes
    where schemaname = 'messaging' and indexname = 'contact_search_keys'`;
  if (index === undefined) throw new Error("there is no index of the search");
  await admin`drop index messaging.contact_search_keys`;
  const { commonTag, rareTag, busyOperator, idleOperator } = storedFilters;
  await admin`
    insert into messaging.operators (workspace_id, name, email)
    select id, email, email from messaging.workspaces
    cross join unnest(${[busyOperator, idleOperator]}::text[]) as email`;
  for (const [instanceId, count] of Object.entries(counts)) {
    await admin`
      insert into messaging.tags (instance_id, name, color)
      select ${instanceId}::uuid, name, '#aabbcc'
      from unnest(${[commonTag, rareTag]}::text[]) as name`;
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
  const [often, rarely, hardlyEver] = soughtNames.map(([, frequency]) => frequency);
  // The rows are consistent. The triggers would take most of the time.
  await sql`set local session_replication_role = replica`;
  await sql`
    create temporary table stored on commit drop as
    select n, gen_random_uuid() as id, '5521' || (900000000 + n) as phone, first.name as first_name,
      (${lastNames}::text[])[1 + n % ${lastNames.length}::integer] as last_name,
      now() - interval '365 days' * (1 - n / ${count}::float8) as created_at
    from generate_series(${from}::integer, ${to}::integer) as n
    cross join lateral (select n::bigint * 7919 % 1000 as place) as drawn
    cross join lateral (
      select case
        when place < ${often ?? 0}::integer then 'Maria'
        when place < ${(often ?? 0) + (rarely ?? 0)}::integer then 'Marisa'
        when place < ${(often ?? 0) + (rarely ?? 0) + (hardlyEver ?? 0)}::integer then 'Marilda'
        else (${otherNames}::text[])[1 + place % ${otherNames.length}::integer]
      end as name
    ) as first`;
  await sql`analyze stored`;
  await sql`
    insert into messaging.contacts (
      id, instance_id, phone, identity_key, name, email, company, origin, created_at,
      consent_marketing
    )
    select id, ${instanceId}::uuid, phone, phone, first_name || ' ' || last_name,
      lower(last_name) || n || '@example.com',
      case when n % 5 = 0 then 'Padaria ' || last_name end, 'api', created_at,
      case when n % 50 = 0 then 'denied' else 'unknown' end
    from stored`;
  await sql`
    insert into messaging.contact_activity (contact_id, instance_id, updated_at)
    select id, ${instanceId}::uuid, created_at from stored`;
  await sql`
    insert into messaging.contact_search (contact_id, instance_id, created_at, words)
    select c.id, c.instance_id, c.created_at, messaging.search_words(c)
    from stored s
    join messaging.contacts c on c.id = s.id
    order by s.n`;
  await sql`
    insert into messaging.contact_tags (contact_id, tag_id)
    select s.id, t.id
    from stored s
    join messaging.tags t on t.instance_id = ${instanceId}::uuid
      and s.n % case t.name when ${storedFilters.commonTag} then 2 else 5000 end = 0`;
  await sql`
    insert into messaging.conversations (instance_id, contact_id, assigned_to, created_at)
    select ${instanceId}::uuid, s.id, o.id, s.created_at
    from stored s
    join messaging.operators o on case o.email
      when ${storedFilters.busyOperator} then s.n % 10 = 1 else s.n % 5000 = 0
    end`;
}
