/** Two empty databases: one for the migrations, one for the schemas. */

import { join } from "node:path";
import postgres from "postgres";
import type { Sql } from "postgres";
import { applyMigrations } from "../../host/migrations.ts";
import { createPlatformRoles } from "../../host/roles.ts";
import { readSchemaFiles, renderSchemaFiles } from "./schema_files.ts";
import {
  type BoundFunctions,
  type CatalogueDifference,
  compareCatalogues,
  readBoundFunctions,
  readCatalogue,
} from "./catalogue.ts";

/** The folders that are compared. */
export interface SchemaFolders {
  readonly schemas: string;
  readonly migrations: string;
  /** The file that lists the migrations of releases. */
  readonly released: string;
}

/** Builds a database from the schemas. @param sql a client of the role that will own the objects. */
export async function buildSchemas(sql: Sql, folder: string): Promise<void> {
  await sql.unsafe(renderSchemaFiles(await readSchemaFiles(folder)));
}

/** Compares what migrations and schemas build. */
export interface ScratchDatabases extends AsyncDisposable {
  /**
   * Applies the migrations that are new in the folder.
   *
   * @param before a version: only migrations of lower versions.
   * @returns the differences from what the migrations build to what the schemas build.
   * @throws {MigrationError} when a migration fails.
   */
  compare(before?: string): Promise<CatalogueDifference[]>;
  /** What the bound functions of the applied migrations use. */
  readBoundFunctions(): Promise<BoundFunctions>;
}

/**
 * Creates the databases and builds the schemas. Disposing drops both.
 *
 * @param serverUrl a database of the server, as a superuser.
 */
export async function openScratchDatabases(
  serverUrl: string,
  folders: SchemaFolders,
): Promise<ScratchDatabases> {
  const server = openClient(serverUrl);
  const names = ["described", "migrated"].map((name) =>
    `${name}_${crypto.randomUUID().slice(0, 8)}`
  );
  const clients: Sql[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.end()));
    for (const name of names) await server`drop database if exists ${server(name)}`;
    await server.end();
  };
  try {
    const [described, migrated] = [await create(names[0]), await create(names[1])];
    await buildSchemas(described, folders.schemas);
    return {
      async compare(before): Promise<CatalogueDifference[]> {
        await applyMigrations(migrated, folders.migrations, before);
        return compareCatalogues(await readCatalogue(migrated), await readCatalogue(described));
      },
      readBoundFunctions: () => readBoundFunctions(migrated),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }

  async function create(name = ""): Promise<Sql> {
    await server`create database ${server(name)}`;
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    const sql = openClient(url.href);
    clients.push(sql);
    await createPlatformRoles(sql);
    return sql;
  }
}

function openClient(url: string): Sql {
  return postgres(url, { max: 1, onnotice: () => {} });
}

/** The folders of this repository. */
export function foldersOf(root: string): SchemaFolders {
  return {
    schemas: join(root, "supabase/schemas"),
    migrations: join(root, "migrations"),
    released: join(root, "supabase/released_migrations.json"),
  };
}
