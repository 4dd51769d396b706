/** Finds wrong privileges in the catalogue, as one sentence each. */

import type { Sql } from "postgres";
import { isOurSchema } from "../../../supabase/tools/migrations/catalogue.ts";

async function find(sql: Sql, query: string): Promise<string[]> {
  const rows = await sql.unsafe<{ finding: string }[]>(query);
  return rows.map((row) => row.finding).sort();
}

/** Privileges of browser roles (anon, authenticated) on tables, views, sequences and schemas. */
export async function findExposedRelations(sql: Sql): Promise<string[]> {
  return await find(
    sql,
    `
    select format('%s may %s %s', role, privilege, c.oid::regclass) as finding
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    cross join unnest(array['anon', 'authenticated']) as role
    cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references',
      'trigger', 'maintain']) as privilege
    where ${isOurSchema} and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and (has_table_privilege(role, c.oid, privilege)
        or (privilege in ('select', 'insert', 'update', 'references')
          and has_any_column_privilege(role, c.oid, privilege)))
    union all
    select format('%s may %s %s', role, privilege, c.oid::regclass)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    cross join unnest(array['anon', 'authenticated']) as role
    cross join unnest(array['usage', 'select', 'update']) as privilege
    where ${isOurSchema} and c.relkind = 'S' and has_sequence_privilege(role, c.oid, privilege)
    union all
    select format('%s may create in %s', role, n.nspname)
    from pg_namespace n cross join unnest(array['anon', 'authenticated']) as role
    where ${isOurSchema} and has_schema_privilege(role, n.oid, 'create')`,
  );
}

/** Functions that a role other than their owner and service_role may execute. */
export async function findExposedFunctions(sql: Sql): Promise<string[]> {
  return await find(
    sql,
    `
    select format('%s may execute %s',
      case grantee when 0 then 'public' else grantee::regrole::text end, p.oid::regprocedure)
      as finding
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    cross join aclexplode(coalesce(p.proacl, acldefault('f', p.proowner)))
    where ${isOurSchema} and grantee not in (p.proowner, 'service_role'::regrole)`,
  );
}

/**
 * Functions without a fixed search_path whose body is not bound either: they would resolve names as
 * their caller chooses. A bound body (`return …`, `begin atomic`) was resolved when it was created.
 */
export async function findUnpinnedFunctions(sql: Sql): Promise<string[]> {
  return await find(
    sql,
    `
    select format('%s has no search_path', p.oid::regprocedure) as finding
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where ${isOurSchema} and p.prosqlbody is null
      and not exists (select from unnest(p.proconfig) setting where setting ~ '^search_path=')`,
  );
}

/** Tables without row-level security, and policies, which must not exist. */
export async function findOpenTables(sql: Sql): Promise<string[]> {
  return await find(
    sql,
    `
    select format('%s has no row-level security', c.oid::regclass) as finding
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${isOurSchema} and c.relkind in ('r', 'p') and not c.relrowsecurity
    union all
    select format('%I.%I has the policy %s', schemaname, tablename, policyname) from pg_policies`,
  );
}

/** Counts our tables and functions, so that a test can prove that the checks have looked at some. */
export async function countObjects(sql: Sql): Promise<{ tables: number; functions: number }> {
  const [counts] = await sql.unsafe<{ tables: number; functions: number }[]>(`
    select
      (select count(*)::int from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where ${isOurSchema} and c.relkind in ('r', 'p')) as tables,
      (select count(*)::int from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where ${isOurSchema}) as functions`);
  return counts ?? { tables: 0, functions: 0 };
}
