/**
 * What holds personal data, read from the catalogue: tables that name a contact, a conversation or a
 * message, and tables with columns that can hold what a person wrote or is called.
 */

import type { Sql } from "postgres";

/** A table of the product that can hold what is about a person. */
export interface PersonalTable {
  readonly name: string;
  /** Columns that name a contact, a conversation or a message. */
  readonly references: readonly string[];
  /** Columns that hold text, JSON, bytes or rows of such. */
  readonly texts: readonly string[];
  /** Whether its rows go by cascade with those of `contacts`. */
  readonly goesWithContact: boolean;
}

/** Every table of the product that can hold personal data, by the catalogue. */
export async function listPersonalTables(sql: Sql): Promise<PersonalTable[]> {
  const rows = await sql<PersonalTable[]>`
    with recursive gone as (
      select 'messaging.contacts'::regclass::oid as id
      union
      select k.conrelid from pg_constraint k join gone on gone.id = k.confrelid
      where k.contype = 'f' and k.confdeltype = 'c'
    ), columns as (
      select t.oid as table_id, t.relname as table_name, a.attname as name, a.attnum as place,
        a.attname ~ '^((.*_)?(contact|conversation|message)_id|merged_into|in_flight)$' as is_reference,
        coalesce(element.typname, type.typname)
          in ('text', 'varchar', 'bpchar', 'json', 'jsonb', 'xml', 'bytea', 'name', 'citext')
        or coalesce(element.typtype, type.typtype) in ('c', 'd') as is_text
      from pg_class t
      join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      join pg_type type on type.oid = a.atttypid
      left join pg_type element on element.oid = type.typelem and type.typcategory = 'A'
      where t.relnamespace = 'messaging'::regnamespace and t.relkind in ('r', 'p')
    )
    select c.table_name as name,
      array_remove(array_agg(case when c.is_reference then c.name::text end order by c.place), null)
        as references,
      array_remove(array_agg(
        case when c.is_text and not c.is_reference then c.name::text end order by c.place
      ), null) as texts,
      c.table_id in (select g.id from gone g) as "goesWithContact"
    from columns c
    group by c.table_id, c.table_name
    having bool_or(c.is_reference or c.is_text)
    order by c.table_name`;
  return [...rows];
}

/** The tables that these functions, and what they call, change by one of these statements. */
export async function listChangedTables(
  sql: Sql,
  functions: readonly string[],
  statements: readonly string[] = ["delete from", "update", "insert into"],
): Promise<Set<string>> {
  const bodies = new Map(
    (await sql<{ name: string; body: string }[]>`
      select p.pronamespace::regnamespace || '.' || p.proname as name, p.prosrc as body
      from pg_proc p
      where p.pronamespace in ('messaging'::regnamespace, 'public'::regnamespace)`)
      .map(({ name, body }) => [name, body]),
  );
  const seen = new Set<string>();
  const changed = new Set<string>();
  const waiting = [...functions];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const body = bodies.get(name);
    if (body === undefined) throw new Error(`There is no function ${name}.`);
    const change = new RegExp(`(?:${statements.join("|")}) messaging\\.(\\w+)`, "g");
    for (const [, table] of body.matchAll(change)) {
      changed.add(table ?? "");
    }
    for (const [called] of body.matchAll(/\b(?:messaging|public)\.\w+(?=\s*\()/g)) {
      if (bodies.has(called)) waiting.push(called);
    }
  }
  return changed;
}
