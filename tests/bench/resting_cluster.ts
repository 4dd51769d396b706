/** Databases of several releases with the same tenant, on a server that has been stopped. */

import postgres from "postgres";
import type { Sql } from "postgres";
import { createPlatformRoles } from "../../supabase/host/roles.ts";
import { applyMigrations } from "../../supabase/host/migrations.ts";
import { startPostgres } from "../../supabase/local/postgres_server.ts";
import { createTenants } from "./tenants.ts";

/** Contacts of the tenant. Their phones begin at 5521990000001. */
export const restingContacts = 500;
/** Of the tenant's client token. */
export const restingTokenHash = "a".repeat(64);

/** The former release had its tables in the schema `public`. */
const renameFormerTables = `do $$ declare name text; begin
  if to_regclass('public.workspaces') is not null then
    create schema messaging;
    for name in select c.relname from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    loop
      execute format('create view messaging.%1$I as select * from public.%1$I', name);
    end loop;
  end if;
end $$`;

/** The data folder of the stopped server, removed when disposed of. */
export interface RestingCluster extends AsyncDisposable {
  readonly dataDir: string;
}

/** Creates a database for each folder of migrations, with the same tenant, and stops the server. */
export async function createRestingCluster(
  folders: Readonly<Record<string, string>>,
): Promise<RestingCluster> {
  const folder = await Deno.makeTempDir({ prefix: "messaging-bench-postgres-" });
  const server = await startPostgres({ dataDir: folder, durability: "none" });
  const remove = async (): Promise<void> => {
    for (const path of new Set([server.dataDir, folder])) {
      await Deno.remove(path, { recursive: true }).catch(() => {});
    }
  };
  try {
    for (const [name, migrations] of Object.entries(folders)) {
      const url = new URL(server.databaseUrl);
      await onDatabase(url, (sql) => sql`create database ${sql(name)}`);
      url.pathname = `/${name}`;
      await onDatabase(url, (sql) => fillDatabase(sql, migrations));
    }
  } catch (error) {
    await server.stop();
    await remove();
    throw error;
  }
  await server.stop();
  return { dataDir: server.dataDir, [Symbol.asyncDispose]: remove };
}

async function fillDatabase(sql: Sql, migrations: string): Promise<void> {
  await createPlatformRoles(sql);
  await applyMigrations(sql, migrations);
  await sql.unsafe(renameFormerTables);
  await createTenants(sql, { instances: 1, contactsEach: restingContacts });
  await sql`
    insert into messaging.client_tokens (instance_id, token_hash, last_used_at)
    select i.id, ${restingTokenHash}, clock_timestamp() + interval '1 hour' from messaging.instances i`;
  await sql`vacuum analyze`;
}

async function onDatabase(url: URL, work: (sql: Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url.href, { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}
