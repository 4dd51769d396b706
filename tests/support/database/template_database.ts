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
 * Creates a template database with the platform's roles, all migrations and the audit of events. Its name is unique, so that
 * several runs can share a server.
 *
 * @param serverUrl a database of the server, as a superuser.
 * @param isAudited whether changes without their event fail. Costs time, which benches must not measure.
 */
export async function createTemplateDatabase(
  serverUrl: string,
  migrationsFolder: string,
  { isAudited = true } = {},
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
      if (isAudited) {
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
