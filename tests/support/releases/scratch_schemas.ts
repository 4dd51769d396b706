/** Schemas and migrations that a test may change: a copy of the repository's, or a few files. */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  foldersOf,
  type SchemaFolders,
} from "../../../supabase/tools/migrations/scratch_databases.ts";
import { hashMigrations } from "../../../supabase/tools/migrations/released_migrations.ts";
import {
  type MigrationReport,
  writeMigration,
} from "../../../supabase/tools/migrations/write_migration.ts";

/** The schemas. Paths are those below supabase/schemas. */
export interface ScratchSchemas extends AsyncDisposable {
  readonly folders: SchemaFolders;
  write(path: string, text: string): Promise<void>;
  /** @throws {Error} when the change leaves the file as it is. */
  edit(path: string, change: (text: string) => string): Promise<void>;
  /** The text of a migration. */
  read(migration: string | undefined): Promise<string>;
  /** Writes a migration as `deno task db:migration` does. */
  migrate(name: string, step?: "expand" | "contract"): Promise<MigrationReport>;
  /** Writes the open migration anew or begins it, as `deno task db:migration --replace` does. */
  replace(name?: string, step?: "expand" | "contract"): Promise<MigrationReport>;
  /** Makes the migrations those of a release. */
  release(): Promise<void>;
}

/** What scratch schemas are made on. */
export interface ScratchOptions {
  /** A database of a server that takes scratch databases, as a superuser. */
  readonly serverUrl: string;
  /** When migrations are written. */
  readonly now: Date;
}

/** Copies the repository's schemas and migrations. Disposing removes the copy. */
export async function copySchemas(options: ScratchOptions): Promise<ScratchSchemas> {
  const own = foldersOf(fileURLToPath(new URL("../../..", import.meta.url)));
  const root = await Deno.makeTempDir({ prefix });
  const folders = foldersOf(root);
  await copyFolder(own.schemas, folders.schemas);
  await copyFolder(own.migrations, folders.migrations);
  return openSchemas(root, options);
}

/** Writes schemas of a few files, without any migration. Building them takes little time. */
export async function writeSchemas(
  files: Readonly<Record<string, string>>,
  options: ScratchOptions,
): Promise<ScratchSchemas> {
  const root = await Deno.makeTempDir({ prefix });
  const folders = foldersOf(root);
  await Deno.mkdir(folders.migrations, { recursive: true });
  const schemas = openSchemas(root, options);
  for (const [path, text] of Object.entries(files)) await schemas.write(path, text);
  return schemas;
}

const prefix = "messaging-schemas-";

function openSchemas(root: string, { serverUrl, now }: ScratchOptions): ScratchSchemas {
  const folders = foldersOf(root);
  const write = async (path: string, text: string): Promise<void> => {
    await Deno.mkdir(dirname(join(folders.schemas, path)), { recursive: true });
    await Deno.writeTextFile(join(folders.schemas, path), text);
  };
  return {
    folders,
    write,
    edit: async (path, change) => {
      const text = await Deno.readTextFile(join(folders.schemas, path));
      const changed = change(text);
      if (changed === text) throw new Error(`${path} has no place for this change`);
      await write(path, changed);
    },
    read: (migration = "") => Deno.readTextFile(join(folders.migrations, migration)),
    migrate: (name, step = "expand") => writeMigration(serverUrl, folders, { name, step, now }),
    replace: (name, step = "expand") =>
      writeMigration(serverUrl, folders, { name, step, now, replace: true }),
    release: async () => {
      const hashes = await hashMigrations(folders.migrations);
      const released = [...hashes].map(([name, sha256]) => [name, { release: "1.0.0", sha256 }]);
      await Deno.writeTextFile(folders.released, JSON.stringify(Object.fromEntries(released)));
    },
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

/** Copies a folder with all that is in it. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const entry of Deno.readDir(from)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory) await copyFolder(source, target);
    else if (entry.isSymlink) await Deno.symlink(await Deno.readLink(source), target);
    else await Deno.copyFile(source, target);
  }
}
