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
  /**
   * Selects the same by Postgres' counters of changed rows, for 8 ms of processor time instead of 20 in a
   * new session. They also count what was undone, so the fingerprint decides where they differ.
   */
  readonly counters: string;
  /** What they are in a database whose catalogue nobody has touched. */
  readonly untouched: string;
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
  const counters = writeCountersQuery(countChanges([...seeded]));
  const plan = {
    empty: [
      // Statements of one call are one transaction.
      "set local session_replication_role = replica;",
      ...empty.map((name) => `delete from ${name};`),
      ...sequences.map((sequence) => sequence.restart),
    ].join("\n"),
    fingerprint,
  };
  return {
    ...plan,
    counters,
    expected: await readFingerprint(template, fingerprint),
    // The template's own counters hold its migrations; a clone starts without any.
    untouched: await readFingerprint(template, writeCountersQuery("0")),
  };
}

/**
 * Empties a database that a test has used.
 *
 * @returns false when it still differs from the template; drop it then.
 */
export async function resetDatabase(admin: Sql, plan: ResetPlan): Promise<boolean> {
  try {
    // Checks the catalogue first, so that the plan's statements find their tables.
    const isSame = await readFingerprint(admin, plan.counters) === plan.untouched ||
      await readFingerprint(admin, plan.fingerprint) === plan.expected;
    if (!isSame) return false;
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

/** What is not in the catalogues above: the database's settings and privileges, and large tables. */
const databaseParts: readonly string[] = [
  `(select coalesce(string_agg(setrole || setconfig::text, ' ' order by setrole), '-')
    from pg_db_role_setting
    where setdatabase = (select oid from pg_database where datname = current_database()))`,
  `(select concat_ws(' ', coalesce(datacl::text, '-'), datconnlimit, datdba) from pg_database
    where datname = current_database())`,
  `(select count(*) from pg_class
    where oid >= 16384 and relkind = 'r' and pg_relation_size(oid) > ${maxTableBytes})`,
];

/** Rows that were inserted, updated or deleted; every session has reported them before it ended. */
function countChanges(seeded: readonly string[]): string {
  const tables = [...Object.keys(catalogues).map((name) => `pg_catalog.${name}`), ...seeded];
  const names = tables.map((name) => `'${name.replaceAll("'", "''")}'::regclass`);
  return `(select sum(pg_stat_get_tuples_inserted(t) + pg_stat_get_tuples_updated(t)
      + pg_stat_get_tuples_deleted(t)) from unnest(array[${names.join(", ")}]) t)`;
}

function writeCountersQuery(changes: string): string {
  return `select concat_ws(' ', ${[changes, ...databaseParts].join(",\n")}) as fingerprint`;
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
    ...databaseParts,
  ];
  return `select concat_ws(' ', ${parts.join(",\n")}) as fingerprint`;
}
