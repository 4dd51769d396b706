/**
 * `deno task db:migration --replace`: writes the release's open migration, which takes the database from
 * what the migrations build to what supabase/schemas say, as far as it can, and names what a person
 * must write. It writes an open one anew, and begins one after a release. Without a name and
 * `--replace` the command only compares. Exit code 1 until the two agree. See docs/migrations.md.
 */

import { Command } from "commander";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../../../shared/model/version.ts";
import { print, printError, readCommandLine } from "../../deploy/command_line.ts";
import { contractPrefix } from "../../deploy/upgrade_plan.ts";
import { MigrationError } from "../../host/migration_files.ts";
import {
  chooseMigrationName,
  findOpenMigrations,
  generatedHead,
  type OpenMigrations,
  replaceCommand,
} from "./open_migrations.ts";
import { startThrowawayPostgres } from "../../local/throwaway_postgres.ts";
import type { CatalogueDifference } from "./catalogue.ts";
import { type MigrationPlan, type MigrationStep, planMigration } from "./migration_plan.ts";
import { foldersOf, openScratchDatabases, type SchemaFolders } from "./scratch_databases.ts";
import { readSchemaFiles, SchemaError } from "./schema_files.ts";

/** What a run of the command found and wrote. */
export interface MigrationReport {
  /** Names of the written files. */
  readonly written: readonly string[];
  /** What a person must write or decide. */
  readonly byHand: readonly string[];
  /** What to do before the migration is applied to a large table. */
  readonly beforehand: readonly string[];
  /** What still differs after the written files. */
  readonly remaining: readonly CatalogueDifference[];
}

/** A migration to write. */
export interface MigrationOrder {
  /**
   * What it does, in lower case with underscores. By default it keeps the open migration's name, and the
   * first one of a release is named after the release.
   */
  readonly name?: string | undefined;
  readonly step: MigrationStep;
  /** When it is written: versions are instants of UTC. */
  readonly now: Date;
  /** Writes the release's open migration anew. */
  readonly replace?: boolean;
}

/**
 * Compares migrations and schemas, and writes a migration where one is ordered and they differ.
 *
 * @param serverUrl a database of a server that takes scratch databases, as a superuser.
 * @throws {MigrationError} when a migration fails, {@link SchemaError} when the schemas cannot be
 * built.
 */
export async function writeMigration(
  serverUrl: string,
  folders: SchemaFolders,
  order: MigrationOrder | undefined,
): Promise<MigrationReport> {
  const open = order === undefined ? undefined : await findReplaceable(folders, order);
  const name = order === undefined ? "" : chooseMigrationName(order, open, version);
  await using databases = await openScratchDatabases(serverUrl, folders);
  for (const file of open?.names ?? []) await Deno.remove(join(folders.migrations, file));
  let remaining = await databases.compare(open?.version);
  const written: string[] = [];
  const beforehand: string[] = [];
  let byHand: readonly string[] = [];
  const files = await readSchemaFiles(folders.schemas);
  for (const step of order === undefined ? [] : stepsOf(order.step)) {
    if (order === undefined || remaining.length === 0) break;
    const differences = remaining.filter(belongsTo(step, order.step));
    const plan = planMigration(differences, files, step, await databases.readBoundFunctions());
    const added = await writeFiles(folders.migrations, { ...order, name, step }, plan, open);
    written.push(...added);
    beforehand.push(...plan.beforehand);
    byHand = plan.byHand;
    remaining = await databases.compare();
  }
  return { written, byHand, beforehand, remaining };
}

/**
 * The open migrations that the order writes anew.
 *
 * @throws {MigrationError} when a release would get a second one.
 */
async function findReplaceable(
  folders: SchemaFolders,
  { step, replace = false }: MigrationOrder,
): Promise<OpenMigrations | undefined> {
  const open = await findOpenMigrations(folders, step);
  if (open !== undefined && !replace) {
    const command = step === "contract" ? `${replaceCommand} --contract` : replaceCommand;
    throw new MigrationError(
      `${open.names[0]} is not released yet: \`${command}\` writes it anew.`,
    );
  }
  return open;
}

/**
 * What the new functions need must not wait for the contract step, so it comes in a migration before.
 */
function stepsOf(step: MigrationStep): readonly MigrationStep[] {
  return step === "contract" ? ["expand", "contract"] : ["expand"];
}

/** A constraint that is ordered with the contract step may forbid what the former release writes. */
function belongsTo(
  step: MigrationStep,
  ordered: MigrationStep,
): (difference: CatalogueDifference) => boolean {
  return ({ section }) => step === ordered || section !== "constraints";
}

async function writeFiles(
  folder: string,
  { name, step, now }: MigrationOrder & { readonly name: string },
  plan: MigrationPlan,
  open: OpenMigrations | undefined,
): Promise<string[]> {
  const prefix = step === "contract" ? contractPrefix : "";
  const files = [
    { name: `${prefix}${name}`, statements: plan.statements },
    { name: `${prefix}${name}_validate`, statements: plan.validations },
  ].filter(({ statements }) => statements.length > 0);
  const written: string[] = [];
  // What a contract migration removes must come after what is added.
  let version = open === undefined || step === "contract"
    ? await nextVersion(folder, now)
    : BigInt(open.version);
  for (const file of files) {
    const path = `${version}_${file.name}.sql`;
    await Deno.writeTextFile(join(folder, path), renderMigration(file.statements), {
      createNew: true,
    });
    written.push(path);
    version += 1n;
  }
  return written;
}

/** The instant as a version, or one after the newest migration's. */
async function nextVersion(folder: string, now: Date): Promise<bigint> {
  const instant = BigInt(now.toISOString().replaceAll(/\D/g, "").slice(0, 14));
  let newest = 0n;
  for await (const { name } of Deno.readDir(folder)) {
    const version = BigInt(/^\d{14}(?=_)/.exec(name)?.[0] ?? 0);
    if (version > newest) newest = version;
  }
  return instant > newest ? instant : newest + 1n;
}

/**
 * Function bodies are not checked, so that functions may call each other in any order. A lock that does
 * not come in time ends the migration, which is then run again: what waits behind it would wait too.
 */
function renderMigration(statements: readonly string[]): string {
  const settings = ["set local lock_timeout = '3s';", "set local check_function_bodies = off;"];
  return [generatedHead, ...settings, ...statements].join("\n\n") + "\n";
}

const command = new Command("deno task db:migration")
  .description(
    "Writes a release's migration from what migrations/ builds to what supabase/schemas say. Without a name and --replace it only compares.",
  )
  .argument("[name]", "what the migration does, for example add_contact_birthday")
  .option("--replace", "write the release's open migration anew, or begin it", false)
  .option("--contract", "also remove what the release before this one no longer uses", false);

async function main(args: readonly string[]): Promise<number> {
  const options = readCommandLine(command, args);
  if (typeof options === "number") return options;
  const [name] = command.args;
  if (name !== undefined && !/^[a-z][a-z0-9_]{0,59}$/.test(name)) {
    printError("The name has lower-case letters, digits and underscores: add_contact_birthday");
    return 2;
  }
  const step = options["contract"] === true ? "contract" : "expand";
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  try {
    const folders = foldersOf(root);
    const replace = options["replace"] === true;
    const order = name === undefined && !replace
      ? undefined
      : { name, step, replace, now: new Date() } as const;
    await using server = await startThrowawayPostgres();
    return report(await writeMigration(server.databaseUrl, folders, order));
  } catch (error) {
    if (!(error instanceof MigrationError || error instanceof SchemaError)) throw error;
    printError(error.message);
    return 1;
  }
}

function report({ written, byHand, beforehand, remaining }: MigrationReport): number {
  for (const name of written) print(`migrations/${name} is written: read it before you commit it.`);
  for (const sentence of beforehand) print(`Beforehand: ${sentence}`);
  for (const sentence of byHand) print(`By hand: ${sentence}`);
  if (remaining.length === 0) {
    print("The migrations build what supabase/schemas say.");
    return 0;
  }
  for (const difference of remaining) print(`Differs: ${describeDifference(difference)}`);
  print(
    written.length === 0 && byHand.length === 0
      ? `Run \`${replaceCommand}\`.`
      : "Write the rest into the migration, then run `deno task db:migration` to compare.",
  );
  return 1;
}

function describeDifference({ section, identity, before, after }: CatalogueDifference): string {
  const what = before === undefined
    ? "is only in the schemas"
    : after === undefined
    ? "is only in the migrations"
    : "is not the same";
  return `${section} ${identity} ${what}`;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
