/**
 * `deno task release <version>`: makes what stands under "Unreleased" in the changelog a release. It
 * writes the version (of the README and the packages too), dates the contract where it may have changed and the changelog's section, and records the
 * migrations, which are never edited from then on. The rest is a commit and a tag, see docs/migrations.md.
 */

import { Command } from "commander";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { version as present } from "../../shared/model/version.ts";
import { print, printError, readCommandLine } from "../deploy/command_line.ts";
import {
  findReleaseProblems,
  hashMigrations,
  readReleasedMigrations,
} from "./migrations/released_migrations.ts";

/** The repository is not ready for the release. The message says why. */
export class ReleaseError extends Error {
  override readonly name = "ReleaseError";
}

/** Where the version stands in a file. The README shows what a start prints. */
const writtenVersions = [
  ["shared/model/version.ts", (version: string) => `version = "${version}"`],
  ["README.md", (version: string) => `Messaging Integration API ${version} on `],
] as const;

/** A release to make. */
export interface Release {
  readonly version: string;
  readonly formerVersion: string;
  /** Day of the release, `YYYY-MM-DD`. */
  readonly day: string;
}

/**
 * Writes a release into the repository at `root`.
 *
 * @throws {ReleaseError} and writes nothing, where the version is not above the present one, nothing is
 * unreleased, or a released migration was edited.
 */
export async function writeRelease(root: string, release: Release): Promise<void> {
  if (!isAbove(release.version, release.formerVersion)) {
    throw new ReleaseError(`${release.version} is not above ${release.formerVersion}.`);
  }
  const changelogPath = join(root, "CHANGELOG.md");
  const changelog = dateUnreleased(await Deno.readTextFile(changelogPath), release);
  const releasedPath = join(root, "supabase/released_migrations.json");
  const released = await readReleasedMigrations(releasedPath);
  const hashes = await hashMigrations(join(root, "migrations"));
  const problems = findReleaseProblems(released, hashes);
  if (problems.length > 0) throw new ReleaseError(problems.join("\n"));
  const added = [...hashes].filter(([name]) => !Object.hasOwn(released, name))
    .map(([name, sha256]) => [name, { release: release.version, sha256 }] as const);
  const next = { ...released, ...Object.fromEntries(added) };
  await Deno.writeTextFile(releasedPath, `${JSON.stringify(next, null, 2)}\n`);
  await Deno.writeTextFile(changelogPath, changelog);
  for (const [file, place] of writtenVersions) {
    const path = join(root, file);
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(
      path,
      text.replace(place(release.formerVersion), place(release.version)),
    );
  }
  if (changesContract(release)) await dateContract(root, release.day);
  await writePackageVersions(root, release);
}

/** A patch leaves the contract as it is. */
function changesContract({ version }: Release): boolean {
  return version.endsWith(".0");
}

async function dateContract(root: string, day: string): Promise<void> {
  const path = join(root, "shared/model/contract_date.ts");
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, text.replace(/contractDate = "[^"]*"/, `contractDate = "${day}"`));
}

/** The packages have the service's version. */
async function writePackageVersions(root: string, { version }: Release): Promise<void> {
  const folder = join(root, "packages");
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (!isDirectory) continue;
    for (const file of ["package.json", "package-lock.json"]) {
      const path = join(folder, name, file);
      const manifest = JSON.parse(await Deno.readTextFile(path));
      manifest.version = version;
      // A lock file names the version of the package itself twice.
      if (manifest.packages?.[""] !== undefined) manifest.packages[""].version = version;
      await Deno.writeTextFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
    }
  }
}

function isAbove(version: string, former: string): boolean {
  const [a, b] = [version, former].map((text) => text.split(".").map(Number));
  const index = [0, 1, 2].find((i) => a?.[i] !== b?.[i]);
  return index !== undefined && Number(a?.[index]) > Number(b?.[index]);
}

function dateUnreleased(changelog: string, { version, day }: Release): string {
  const heading = "## [Unreleased]\n";
  const [before, after] = changelog.split(heading);
  if (before === undefined || after === undefined || !/^\s*(### |- )/.test(after)) {
    throw new ReleaseError(
      "CHANGELOG.md has nothing under Unreleased: say what users will notice.",
    );
  }
  return `${before}${heading}\n## [${version}] - ${day}\n${after}`;
}

const command = new Command("deno task release")
  .description("Makes what is unreleased in CHANGELOG.md a release.")
  .argument("<version>", "MAJOR.MINOR.PATCH, see semver.org");

async function main(args: readonly string[]): Promise<number> {
  const options = readCommandLine(command, args);
  if (typeof options === "number") return options;
  const [version = ""] = command.args;
  if (!/^\d+\.\d+\.\d+$/.test(version)) {
    printError("The version is MAJOR.MINOR.PATCH, for example 1.1.0.");
    return 2;
  }
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const day = new Date().toISOString().slice(0, 10);
  try {
    await writeRelease(root, { version, formerVersion: present, day });
  } catch (error) {
    if (!(error instanceof ReleaseError)) throw error;
    printError(error.message);
    return 1;
  }
  print(
    `${version} is written. Next: \`deno task openapi\`, \`deno task ok\`, a commit, and the tag v${version}.`,
  );
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
