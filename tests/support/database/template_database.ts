import postgres from "postgres";
import type { Sql } from "postgres";
import { applyMigrations } from "../../../supabase/host/migrations.ts";
import { createPlatformRoles } from "../../../supabase/host/roles.ts";
import { installEventAudit } from "./event_audit.ts";
import { type ResetPlan, writeResetPlan } from "./reset.ts";
import { installStateAudit } from "./state_audit.ts";

/** The database that test databases are cloned from. */
export interface TemplateDatabase {
  readonly name: string;
  /** How to reset a used clone for the next test. */
  readonly resetPlan: ResetPlan;
  /** Drops the template and its remaining clones. */
  drop(): Promise<void>;
}

/**
 * Creates a template database with the platform's roles, all migrations and the audits of what changes
 * without its event. Its name is unique, so that several runs can share a server.
 *
 * @param serverUrl a database of the server, as a superuser.
 * @param isMeasured for benches: without the audits, which cost time, and with autovacuum as in production.
 */
export async function createTemplateDatabase(
  serverUrl: string,
  migrationsFolder: string,
  { isMeasured = false } = {},
): Promise<TemplateDatabase> {
  const name = `messaging_template_${crypto.randomUUID().slice(0, 8)}`;
  const drop = (): Promise<void> => onDatabase(serverUrl, (server) => dropAll(server, name));
  await onDatabase(
    serverUrl,
    (server) => server`create database ${server(name)} template template0`,
  );
  let resetPlan: ResetPlan;
  try {
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    resetPlan = await onDatabase(url.href, async (template) => {
      await createPlatformRoles(template);
      await applyMigrations(template, migrationsFolder);
      if (!isMeasured) {
        await keepAutovacuumAway(template);
        await installEventAudit(template);
        await installStateAudit(template);
      }
      return await writeResetPlan(template);
    });
    // Postgres cannot clone a template that has connections.
    await onDatabase(
      serverUrl,
      (server) => server`alter database ${server(name)} with allow_connections false`,
    );
  } catch (error) {
    await drop();
    throw error;
  }
  return { name, resetPlan, drop };
}

async function dropAll(server: Sql, name: string): Promise<void> {
  const databases = await server<{ datname: string }[]>`
    select datname from pg_database where starts_with(datname, ${name})`;
  for (const { datname } of databases) {
    await server`drop database if exists ${server(datname)} with (force)`;
  }
}

async function onDatabase<T>(url: string, run: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await run(sql);
  } finally {
    await sql.end();
  }
}

/**
 * What Postgres knows of the tables is then what a test tells it, however long the test takes. And a kept
 * session plans its statements anew after each vacuum of one of their tables.
 */
async function keepAutovacuumAway(template: Sql): Promise<void> {
  await alterTables(template, "set (autovacuum_enabled = off)");
}

/** Takes back what only tests' databases have, so that a clone is what the migrations build. */
export async function removeTestParts(clone: Sql): Promise<void> {
  await clone.unsafe(`
    drop schema event_audit cascade;
    drop index messaging.events_by_message`).simple();
  await alterTables(clone, "reset (autovacuum_enabled)");
}

async function alterTables(sql: Sql, change: string): Promise<void> {
  await sql.unsafe(`
    do $$
    declare name text;
    begin
      for name in
        select oid::regclass::text from pg_class
        where relnamespace = to_regnamespace('messaging') and relkind = 'r'
      loop
        execute format('alter table %s ${change}', name);
      end loop;
    end $$`);
}
