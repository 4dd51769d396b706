/**
 * Everything that a caller can read of a tenant, in a form in which two tenants that went through the
 * same can be compared: each table's rows with names for ids, and the events of each contact in the
 * order in which they are told.
 */

import type { Sql } from "postgres";

/** Rows by table. */
export type CallerView = Readonly<Record<string, readonly string[]>>;

/** What no caller reads, or what differs between two tenants by nature. */
const ownTables = new Set([
  ...["instances", "client_tokens", "rate_limits", "event_streams", "metric_counters"],
  ...["metric_snapshots", "workspaces", "dispatch"],
]);
/** Columns that hold a drawn number, a secret, or when a worker looks next. */
const ownColumns = [
  ...["sequence", "position", "claim_token", "lost_claim_token", "lease_until", "transaction_id"],
  ...["visible_at", "next_due_at", "in_flight", "seed"],
];

/** Reads a tenant. @param admin a client that may read all tables. */
export async function readCallerView(admin: Sql, instanceId: string): Promise<CallerView> {
  const names = await nameIds(admin, instanceId);
  const view: Record<string, readonly string[]> = {
    "events told": await readToldEvents(admin, instanceId, names),
  };
  for (const { table, columns } of await listTables(admin)) {
    if (ownTables.has(table) || table === "events") continue;
    const condition = columns.map((column) => `t.${column} = any ($1)`).join(" or ");
    const rows = await admin.unsafe<{ row: unknown }[]>(
      `select to_jsonb(t) - $2::text[] - case jsonb_typeof(to_jsonb(t)->'id')
         when 'number' then 'id' else '' end as row
       from messaging.${table} t where ${condition}`,
      [[...names.keys()], ownColumns],
    );
    view[table] = rows.map(({ row }) => normalize(row, names)).sort();
  }
  return view;
}

async function listTables(admin: Sql): Promise<{ table: string; columns: string[] }[]> {
  return await admin<{ table: string; columns: string[] }[]>`
    select c.relname as table, array_agg(a.attname::text) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname in (
      'instance_id', 'contact_id', 'conversation_id', 'message_id', 'workspace_id', 'batch_id'
    )
    where c.relnamespace = 'messaging'::regnamespace and c.relkind in ('r', 'p')
    group by 1 order by 1`;
}

/** The ids of a tenant's records, with what the records are to a reader. */
async function nameIds(admin: Sql, instanceId: string): Promise<Map<string, string>> {
  const rows = await admin<{ id: string; name: string }[]>`
    select i.id, 'instance' as name from messaging.instances i where i.id = ${instanceId}
    union all
    select i.workspace_id, 'workspace' from messaging.instances i where i.id = ${instanceId}
    union all
    select c.id, 'contact ' || coalesce(c.identity_key, (
      select min(a.identity_key) from messaging.contact_addresses a where a.contact_id = c.id
    ), '?')
    from messaging.contacts c where c.instance_id = ${instanceId}
    union all
    select v.id, 'conversation ' || coalesce(c.identity_key, (
      select min(a.identity_key) from messaging.contact_addresses a where a.contact_id = c.id
    ), '?')
    from messaging.conversations v join messaging.contacts c on c.id = v.contact_id
    where c.instance_id = ${instanceId}
    union all
    select m.id, 'message ' || coalesce(m.message, m.provider_message_id, '?')
    from messaging.messages m where m.instance_id = ${instanceId}`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The events by contact, in the order of their numbers, as the feed gives them. */
async function readToldEvents(
  admin: Sql,
  instanceId: string,
  names: ReadonlyMap<string, string>,
): Promise<string[]> {
  const rows = await admin<{ contact: string | null; told: unknown }[]>`
    select e.contact_id as contact,
      messaging.describe_event(e) - '{id,sequence,timestamp}'::text[] as told
    from messaging.events e where e.instance_id = ${instanceId} order by e.sequence`;
  const byContact = Map.groupBy(rows, ({ contact }) => names.get(contact ?? "") ?? "");
  const sorted = [...byContact].sort(([one], [other]) => one < other ? -1 : 1);
  return sorted.flatMap(([contact, events]) =>
    events.map(({ told }) => normalize(told, names))
      // Calls of one instant renew a pause once: it has not become longer.
      .filter((told, place, all) => told !== all[place - 1] || !told.includes('"agent.paused"'))
      .map((told, place) => `${contact}, ${place}: ${told}`)
  );
}

const dayMs = 86_400_000;

/** Ids become names, and instants of these weeks days from now. */
function normalize(row: unknown, names: ReadonlyMap<string, string>): string {
  return JSON.stringify(row)
    .replaceAll(
      /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
      (id) => `<${names.get(id) ?? "id"}>`,
    )
    .replaceAll(
      /\d{4}-\d\d-\d\dT[\d:.]+(Z|[-+]\d\d:\d\d)/g,
      (instant) => {
        const days = Math.round((Date.parse(instant) - Date.now()) / dayMs);
        return Math.abs(days) < 15 ? `<${days} days from now>` : instant;
      },
    );
}
