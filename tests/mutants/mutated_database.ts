/** One Postgres server and one migrated template for all mutants: each has a copy of it with one function replaced. */

import { join } from "node:path";
import postgres from "postgres";
import type { Sql } from "postgres";
import { startThrowawayPostgres } from "../../supabase/local/throwaway_postgres.ts";
import { writeResetPlan } from "../support/database/reset.ts";
import { startSessionKeeper } from "../support/database/session_keeper.ts";
import { createTemplateDatabase } from "../support/database/template_database.ts";

/** The variables by which tests find their databases (tests/support/database/database.ts). */
export type DatabaseVariables = Readonly<Record<string, string>>;

export interface MutatedDatabase extends AsyncDisposable {
  /** For tests of the unbroken schema. */
  readonly original: DatabaseVariables;
  /** A client of the template's copy, in which nothing is broken. */
  readonly catalogue: Sql;
  /**
   * Breaks a copy of the template by these statements.
   *
   * @returns null where Postgres refuses them.
   */
  breakSchema(statements: string): Promise<BrokenSchema | null>;
  /** How often each function was called in the databases of these variables, by its name. */
  countCalls(variables: DatabaseVariables): Promise<ReadonlyMap<string, number>>;
}

export interface BrokenSchema extends AsyncDisposable {
  readonly variables: DatabaseVariables;
}

/** Starts the server. @param root the repository. */
export async function startMutatedDatabase(root: string): Promise<MutatedDatabase> {
  await using cleanup = new AsyncDisposableStack();
  const { databaseUrl } = cleanup.use(await startThrowawayPostgres());
  const server = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  cleanup.defer(() => server.end());
  await server`alter system set track_functions = 'all'`;
  await server`select pg_reload_conf()`;
  const template = await createTemplateDatabase(databaseUrl, join(root, "migrations"));
  const keeper = cleanup.use(startSessionKeeper(databaseUrl));
  const toVariables = (name: string, plan: unknown): DatabaseVariables => ({
    TEST_DATABASE_URL: databaseUrl,
    TEST_KEPT_SESSIONS_URL: keeper.url,
    TEST_TEMPLATE_DATABASE: name,
    TEST_RESET_PLAN: JSON.stringify(plan),
  });
  const copyName = `${template.name}_catalogue`;
  await server`create database ${server(copyName)} template ${server(template.name)}`;
  await server`alter database ${server(copyName)} with allow_connections true`;
  const catalogue = postgres(nameDatabase(databaseUrl, copyName), { max: 1, onnotice: () => {} });
  cleanup.defer(() => catalogue.end());
  const stack = cleanup.move();
  let copies = 0;
  return {
    original: toVariables(template.name, template.resetPlan),
    catalogue,
    breakSchema: async (statements) => {
      const name = `messaging_mutant_${copies++}`;
      await server`create database ${server(name)} template ${
        server(template.name)
      } strategy file_copy`;
      await server`alter database ${server(name)} with allow_connections true`;
      const drop = (): Promise<void> => dropDatabases(server, name);
      const plan = await replaceFunctions(nameDatabase(databaseUrl, name), statements);
      if (plan === null) {
        await drop();
        return null;
      }
      await server`alter database ${server(name)} with allow_connections false`;
      return { variables: toVariables(name, plan), [Symbol.asyncDispose]: drop };
    },
    countCalls: (variables) =>
      countCalls(server, databaseUrl, variables["TEST_TEMPLATE_DATABASE"] ?? ""),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** @returns the copy's reset plan; null where Postgres refuses the statements. */
async function replaceFunctions(url: string, statements: string): Promise<unknown> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(statements).simple();
    return await writeResetPlan(sql);
  } catch (error) {
    if (error instanceof postgres.PostgresError) return null;
    throw error;
  } finally {
    await sql.end();
  }
}

async function dropDatabases(server: Sql, prefix: string): Promise<void> {
  for (const name of await listDatabases(server, prefix)) {
    await server`drop database if exists ${server(name)} with (force)`;
  }
}

async function listDatabases(server: Sql, prefix: string): Promise<string[]> {
  const databases = await server<{ name: string }[]>`
    select datname as name from pg_database
    where datname = ${prefix} or starts_with(datname, ${`${prefix}_`})`;
  return databases.map(({ name }) => name);
}

async function countCalls(
  server: Sql,
  url: string,
  template: string,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const name of await listDatabases(server, `${template}_pool`)) {
    const sql = postgres(nameDatabase(url, name), { max: 1, onnotice: () => {} });
    const rows = await sql<{ name: string; calls: number }[]>`
      select schemaname || '.' || funcname as name, calls::float8 as calls
      from pg_stat_user_functions`;
    await sql.end();
    for (const row of rows) counts.set(row.name, (counts.get(row.name) ?? 0) + row.calls);
  }
  return counts;
}

function nameDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
