/**
 * Describes our objects in a database's catalogue as sorted lines per section. Two databases have the
 * same structure when their snapshots are equal. Ignores the order of columns, because a migration adds
 * a column at the end.
 */

import type { Sql } from "postgres";

/** Lines by section. */
export type CatalogueSnapshot = Readonly<Record<string, readonly string[]>>;

/** Condition on pg_namespace `n`: excludes system schemas and the migrations' history. */
export const isOurSchema = `
  n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'supabase_migrations')`;

const acl = (column: string): string =>
  `coalesce((select string_agg(item::text, ' ' order by item::text) from unnest(${column}) item), 'default')`;

const comment = (object: string, catalogue: string, column = 0): string =>
  `coalesce(' -- ' || ${
    column === 0 ? `obj_description(${object}, '${catalogue}')` : `col_description(${object})`
  }, '')`;

const sections: Readonly<Record<string, string>> = {
  schemas: `
    select format('%s acl=%s', n.nspname, ${
    acl("n.nspacl")
  }) from pg_namespace n where ${isOurSchema}`,
  extensions: `
    select format('%s in %s', e.extname, n.nspname)
    from pg_extension e join pg_namespace n on n.oid = e.extnamespace`,
  relations: `
    select format('%s.%s kind=%s persistence=%s rls=%s forced=%s options=%s owner=%s acl=%s%s',
      n.nspname, c.relname, c.relkind, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity,
      c.reloptions, c.relowner::regrole, ${acl("c.relacl")}, ${comment("c.oid", "pg_class")})
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${isOurSchema}`,
  columns: `
    select format('%s.%s.%s %s notnull=%s default=%s identity=%s generated=%s collation=%s acl=%s%s',
      n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
      pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated, nullif(a.attcollation, 0)::regcollation,
      ${acl("a.attacl")}, ${comment("c.oid, a.attnum", "pg_class", 1)})
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p', 'v', 'm', 'c', 'f')
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where ${isOurSchema} and a.attnum > 0 and not a.attisdropped`,
  constraints: `
    select format('%s.%s.%s %s validated=%s%s', n.nspname,
      coalesce(nullif(k.conrelid, 0)::regclass::text, k.contypid::regtype::text), k.conname,
      pg_get_constraintdef(k.oid), k.convalidated, ${comment("k.oid", "pg_constraint")})
    from pg_constraint k join pg_namespace n on n.oid = k.connamespace where ${isOurSchema}`,
  indexes: `
    select format('%s valid=%s%s', pg_get_indexdef(i.indexrelid), i.indisvalid,
      ${comment("i.indexrelid", "pg_class")})
    from pg_index i
    join pg_class c on c.oid = i.indrelid
    join pg_namespace n on n.oid = c.relnamespace where ${isOurSchema}`,
  functions: `
    select format('%s owner=%s acl=%s%s',
      case when p.prokind = 'a' then p.oid::regprocedure::text else pg_get_functiondef(p.oid) end,
      p.proowner::regrole, ${acl("p.proacl")}, ${comment("p.oid", "pg_proc")})
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${isOurSchema}`,
  triggers: `
    select format('%s enabled=%s%s', pg_get_triggerdef(t.oid), t.tgenabled,
      ${comment("t.oid", "pg_trigger")})
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    join pg_namespace n on n.oid = c.relnamespace where ${isOurSchema} and not t.tgisinternal`,
  policies: `
    select format('%s.%s.%s %s %s to %s using (%s) check (%s)', schemaname, tablename, policyname,
      permissive, cmd, roles, qual, with_check) from pg_policies`,
  views: `
    select format('%s %s', c.oid::regclass, pg_get_viewdef(c.oid))
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${isOurSchema} and c.relkind in ('v', 'm')`,
  types: `
    select format('%s kind=%s base=%s labels=%s%s', t.oid::regtype, t.typtype,
      nullif(t.typbasetype, 0)::regtype,
      array(select e.enumlabel from pg_enum e where e.enumtypid = t.oid order by e.enumsortorder),
      ${comment("t.oid", "pg_type")})
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where ${isOurSchema} and t.typtype in ('c', 'd', 'e', 'r')`,
  sequences: `
    select format('%s.%s %s start=%s by=%s min=%s max=%s cycle=%s', schemaname, sequencename,
      data_type, start_value, increment_by, min_value, max_value, cycle) from pg_sequences`,
  defaultPrivileges: `
    select format('%s in %s of %s: %s', d.defaclobjtype, nullif(d.defaclnamespace, 0)::regnamespace,
      d.defaclrole::regrole, ${acl("d.defaclacl")}) from pg_default_acl d`,
};

/** Reads the snapshot. @param sql a client of the owner. */
export async function readCatalogue(sql: Sql): Promise<CatalogueSnapshot> {
  const snapshot: Record<string, string[]> = {};
  for (const [section, query] of Object.entries(sections)) {
    const rows = await sql.unsafe<{ format: string }[]>(query);
    snapshot[section] = rows.map((row) => row.format).sort();
  }
  return snapshot;
}
