/** Resets a used database to the state of a new clone of the template. */

import postgres from "postgres";
import type { Sql } from "postgres";

/** The SQL that resets a clone and checks the result. The runner writes it once for the template. */
export interface ResetPlan {
  /** Empties the tables that the migrations leave empty, and restarts the sequences. */
  readonly empty: string;
  /** Selects a fingerprint of everything else, such as the schema. */
  readonly fingerprint: string;
  /** The template's fingerprint. */
  readonly expected: string;
}

// Detects any DDL without reading system objects.
const catalogues: Readonly<Record<string, string>> = {
  pg_namespace: "nspname !~ '^pg_(toast_)?temp_'",
  pg_class: "oid >= 16384 and relpersistence <> 't'",
  pg_attribute: "attrelid >= 16384",
  pg_attrdef: "true",
  pg_proc: "oid >= 16384",
  pg_constraint: "oid >= 16384",
  pg_type: "oid >= 16384 and typtype <> 'c'",
  pg_trigger: "true",
  pg_rewrite: "oid >= 16384",
  pg_policy: "true",
  pg_index: "indexrelid >= 16384",
  pg_sequence: "true",
  pg_default_acl: "true",
  pg_extension: "true",
  pg_event_trigger: "true",
};

// A larger table is full of dead rows, which would distort the next test's measurements.
const maxTableBytes = 4 * 1024 * 1024;

/** Writes the plan for a template. @param template a client of it, as a superuser. */
export async function writeResetPlan(template: Sql): Promise<ResetPlan> {
  const tables = await template<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`;
  const seeded = new Set<string>();
  for (const { name } of tables) {
    const [first] = await template.unsafe(`select from ${name} limit 1`);
    if (first !== undefined) seeded.add(name);
  }
  const empty = tables.map((table) => table.name).filter((name) => !seeded.has(name));
  const sequences = await template<{ restart: string }[]>`
    select format('select setval(%L, %s, false);', format('%I.%I', schemaname, sequencename),
      start_value) as restart
    from pg_sequences where last_value is null`;
  const fingerprint = writeFingerprintQuery([...seeded]);
  const plan = {
    empty: [
      // Statements of one call are one transaction.
      "set local session_replication_role = replica;",
      ...empty.map((name) => `delete from ${name};`),
      ...sequences.map((sequence) => sequence.restart),
    ].join("\n"),
    fingerprint,
  };
  return { ...plan, expected: await readFingerprint(template, plan.fingerprint) };
}

/**
 * Empties a database that a test has used.
 *
 * @returns false when it still differs from the template; drop it then.
 */
export async function resetDatabase(admin: Sql, plan: ResetPlan): Promise<boolean> {
  try {
    // Checks the catalogue first, so that the plan's statements find their tables.
    if (await readFingerprint(admin, plan.fingerprint) !== plan.expected) return false;
    await admin.unsafe(plan.empty).simple();
    return true;
  } catch (error) {
    if (error instanceof postgres.PostgresError) return false;
    throw error;
  }
}

async function readFingerprint(sql: Sql, query: string): Promise<string> {
  const [row] = await sql.unsafe<{ fingerprint: string }[]>(query);
  if (row === undefined) throw new Error("the fingerprint of a database is one row");
  return row.fingerprint;
}

// A row's xmin shows whether the row was changed. Cloning a database keeps xmin.
function writeFingerprintQuery(seeded: readonly string[]): string {
  const rows = (table: string, condition: string): string =>
    `(select count(*) || ':' || coalesce(sum(xmin::text::bigint), 0) from ${table} where ${condition})`;
  const parts = [
    ...Object.entries(catalogues).map(([table, condition]) =>
      rows(`pg_catalog.${table}`, condition)
    ),
    ...seeded.map((table) => rows(table, "true")),
    `(select coalesce(string_agg(setrole || s.setconfig::text, ' ' order by setrole), '-')
      from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
      where d.datname = current_database())`,
    `(select concat_ws(' ', coalesce(datacl::text, '-'), datconnlimit, datdba) from pg_database
      where datname = current_database())`,
    `(select count(*) from pg_tables t
      where schemaname not in ('pg_catalog', 'information_schema')
        and pg_relation_size(format('%I.%I', schemaname, tablename)::regclass) > ${maxTableBytes})`,
  ];
  return `select concat_ws(' ', ${parts.join(",\n")}) as fingerprint`;
}
