/** One Postgres with fsync for all measurements. */

import { fileURLToPath } from "node:url";
import postgres from "postgres";
import type { Sql } from "postgres";
import { startPostgres } from "../../supabase/local/postgres_server.ts";
import { startOwnPostgres } from "../support/database/own_postgres.ts";
import { createTemplateDatabase } from "../support/database/template_database.ts";

/** A database of one bench, with all migrations and no rows. */
export interface BenchDatabase extends AsyncDisposable {
  /** Connection string of the superuser. */
  readonly url: string;
  /** A pool of the superuser. */
  readonly admin: Sql;
  /** One more pool, as service_role like product code; closed with the database. */
  connect(max: number): Sql;
  /** Registers a resource that uses the database, to be closed before the database is dropped. */
  closeFirst(close: () => Promise<unknown>): void;
}

export interface BenchServer extends AsyncDisposable {
  /** Version and settings of the server. */
  readonly description: string;
  createDatabase(): Promise<BenchDatabase>;
  /** A database without migrations, for a release that brings its own. */
  createEmptyDatabase(): Promise<BenchDatabase>;
}

const migrationsFolder = fileURLToPath(new URL("../../migrations", import.meta.url));

/**
 * Starts a throwaway Postgres, or uses the one at `databaseUrl`.
 *
 * @throws {Error} when that server does not flush commits to disk, which makes its figures useless.
 */
export async function openBenchServer(databaseUrl: string | undefined): Promise<BenchServer> {
  await using cleanup = new AsyncDisposableStack();
  const url = databaseUrl ?? cleanup.use(await startThrowaway()).databaseUrl;
  const server = openPool(url, 2, "superuser");
  cleanup.defer(() => server.end());
  const description = await describeServer(server);
  const template = await createTemplateDatabase(url, migrationsFolder, { isMeasured: true });
  cleanup.defer(template.drop);
  const keep = cleanup.move();
  return {
    description,
    createDatabase: () => createDatabase(server, url, template.name, template.name),
    createEmptyDatabase: () => createDatabase(server, url, template.name, "template0"),
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

/** A database on a server of its own, with these settings. Disposing stops the server and removes it. */
export async function startOwnDatabase(
  settings: Readonly<Record<string, string>>,
): Promise<BenchDatabase> {
  const server = await startOwnPostgres({ name: "of a bench", settings });
  const closings: (() => Promise<unknown>)[] = [];
  return {
    url: server.databaseUrl,
    admin: server.admin,
    connect: (max) => {
      const pool = openPool(server.databaseUrl, max, "service_role");
      closings.push(() => pool.end({ timeout: 3 }));
      return pool;
    },
    closeFirst: (close) => {
      closings.push(close);
    },
    [Symbol.asyncDispose]: async () => {
      for (const close of closings.toReversed()) await close();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function startThrowaway(): Promise<AsyncDisposable & { readonly databaseUrl: string }> {
  const folder = await Deno.makeTempDir({ prefix: "messaging-bench-postgres-" });
  const server = await startPostgres({ dataDir: folder, durability: "full" });
  return {
    databaseUrl: server.databaseUrl,
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      for (const path of new Set([server.dataDir, folder])) {
        await Deno.remove(path, { recursive: true }).catch(() => {});
      }
    },
  };
}

async function describeServer(server: Sql): Promise<string> {
  const [row] = await server<Record<string, string>[]>`
    select version(), current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as synchronous_commit,
      current_setting('shared_buffers') as shared_buffers`;
  if (row?.["fsync"] !== "on" || row["synchronous_commit"] === "off") {
    throw new Error(
      "the server does not wait for the disk: set fsync and synchronous_commit to on",
    );
  }
  const version = row["version"]?.split(" on ")[0];
  return `${version}, fsync on, shared_buffers ${row["shared_buffers"]}`;
}

async function createDatabase(
  server: Sql,
  url: string,
  prefix: string,
  template: string,
): Promise<BenchDatabase> {
  const name = `${prefix}_${crypto.randomUUID().slice(0, 8)}`;
  await server`create database ${server(name)} template ${server(template)}`;
  const own = new URL(url);
  own.pathname = `/${name}`;
  const closings: (() => Promise<unknown>)[] = [];
  const connect = (max: number, role: string): Sql => {
    const pool = openPool(own.href, max, role);
    closings.push(() => pool.end({ timeout: 3 }));
    return pool;
  };
  return {
    url: own.href,
    admin: connect(4, "superuser"),
    connect: (max) => connect(max, "service_role"),
    closeFirst: (close) => {
      closings.push(close);
    },
    [Symbol.asyncDispose]: async () => {
      for (const close of closings.toReversed()) await close();
      await server`drop database ${server(name)} with (force)`;
    },
  };
}

function openPool(url: string, max: number, role: string): Sql {
  const connection = role === "superuser" ? {} : { role };
  return postgres(url, { max, connection, onnotice: () => {} });
}
