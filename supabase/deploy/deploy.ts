/**
 * `deno task deploy`: checks the code, then applies the migrations and uploads the functions with the
 * Supabase CLI. Idempotent: applied migrations are skipped, functions are replaced.
 */

import { Command } from "commander";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { print, printError, readCommandLine } from "./command_line.ts";
import { invalidConnectionString, readConnectionString } from "./connection_string.ts";
import { runSupabaseCli, SupabaseCliError } from "./supabase_cli.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The target of a deployment, from the environment's variables. */
export interface DeployTarget {
  readonly projectRef: string;
  readonly accessToken: string;
  /** A connection string, or the password of the project's database. */
  readonly database: { readonly url: string } | { readonly password: string };
}

const neededVariables: Readonly<Record<string, string>> = {
  SUPABASE_PROJECT_REF:
    "SUPABASE_PROJECT_REF is missing: set it to the project's reference, 20 letters in the URL of its dashboard.",
  SUPABASE_ACCESS_TOKEN:
    "SUPABASE_ACCESS_TOKEN is missing: create one under Account, Access Tokens (sbp_...).",
  SUPABASE_DB_PASSWORD:
    "SUPABASE_DB_PASSWORD is missing: set it to the database's password (or set SUPABASE_DB_URL to a connection string).",
};

/** Reads the target. @returns the target, or an error sentence per missing or invalid variable. */
export function readTarget(
  environment: Readonly<Record<string, string | undefined>>,
): DeployTarget | readonly string[] {
  const {
    SUPABASE_PROJECT_REF: projectRef,
    SUPABASE_ACCESS_TOKEN: accessToken,
    SUPABASE_DB_PASSWORD: password,
    SUPABASE_DB_URL: url,
  } = environment;
  if (url && readConnectionString(url) === null) {
    return [`SUPABASE_DB_URL ${invalidConnectionString}`];
  }
  const database = url ? { url } : password ? { password } : undefined;
  if (projectRef && accessToken && database) return { projectRef, accessToken, database };
  const given = {
    SUPABASE_PROJECT_REF: projectRef,
    SUPABASE_ACCESS_TOKEN: accessToken,
    SUPABASE_DB_PASSWORD: database,
  };
  return Object.entries(given).filter(([, value]) => !value)
    .map(([name]) => neededVariables[name] ?? name);
}

/**
 * Checks the link supabase/migrations, the only place where the CLI looks. Without the link `db push`
 * would find no migrations and report success.
 *
 * @throws {SupabaseCliError} where the two folders do not hold the same files.
 */
export async function checkMigrationsLink(folder: string): Promise<void> {
  const [own, linked] = await Promise.all(
    ["migrations", "supabase/migrations"].map((path) => listNames(join(folder, path))),
  );
  if (own?.length !== 0 && own?.join() === linked?.join()) return;
  throw new SupabaseCliError(
    "supabase/migrations does not contain the files of migrations: check out the repository with symbolic links.",
  );
}

async function listNames(path: string): Promise<string[]> {
  try {
    const names: string[] = [];
    for await (const entry of Deno.readDir(path)) names.push(entry.name);
    return names.sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Applies pending migrations. @throws {SupabaseCliError} */
export async function pushDatabase(
  target: Pick<DeployTarget, "projectRef" | "accessToken" | "database">,
  show?: (text: string) => void,
): Promise<string> {
  await checkMigrationsLink(root);
  const { remote, environment } = toRemote(target);
  return await runSupabaseCli(root, ["db", "push", `--remote=${remote}`, "--yes"], {
    ...environment,
    SUPABASE_ACCESS_TOKEN: target.accessToken,
  }, show);
}

/**
 * Splits the database into the CLI's `--remote` argument and the password. Other users can read command
 * lines, so the password goes into the environment: SUPABASE_DB_PASSWORD with a project reference,
 * PGPASSWORD with a connection string.
 */
export function toRemote(
  { projectRef, database }: Pick<DeployTarget, "projectRef" | "database">,
): { readonly remote: string; readonly environment: Readonly<Record<string, string>> } {
  if ("password" in database) {
    return { remote: projectRef, environment: { SUPABASE_DB_PASSWORD: database.password } };
  }
  const url = new URL(database.url);
  const password = decodeURIComponent(url.password);
  url.password = "";
  return { remote: url.href, environment: password === "" ? {} : { PGPASSWORD: password } };
}

/** Uploads every function; the platform bundles them. @throws {SupabaseCliError} */
export async function deployFunctions(
  { projectRef, accessToken }: Pick<DeployTarget, "projectRef" | "accessToken">,
  environment: Readonly<Record<string, string>> = {},
  show?: (text: string) => void,
): Promise<string> {
  const args = ["functions", "deploy", "--use-api", `--remote=${projectRef}`, "--yes"];
  return await runSupabaseCli(root, args, {
    ...environment,
    SUPABASE_ACCESS_TOKEN: accessToken,
  }, show);
}

/** Checks that must pass before anything is deployed. */
const checks: readonly (readonly string[])[] = [
  ["check", "functions", "shared"],
  ["task", "db:baseline", "--check"],
  ["task", "check:hosted"],
];

async function check(args: readonly string[]): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: root,
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!success) throw new SupabaseCliError(`deno ${args.join(" ")} failed: nothing was deployed.`);
}

const command = new Command("deno task deploy")
  .description(
    "Checks the code, then applies the migrations and uploads every function. Has no options; environment variables name the target.",
  )
  .addHelpText(
    "after",
    `\nVariables (see .env.example):\n  ${Object.keys(neededVariables).join("\n  ")}`,
  );

async function main(args: readonly string[]): Promise<number> {
  const options = readCommandLine(command, args);
  if (typeof options === "number") return options;
  const target = readTarget(Deno.env.toObject());
  if (!("projectRef" in target)) {
    target.forEach(printError);
    return 2;
  }
  try {
    for (const args of checks) await check(args);
    await pushDatabase(target);
    await deployFunctions(target);
  } catch (error) {
    if (!(error instanceof SupabaseCliError)) throw error;
    printError(error.message);
    return 1;
  }
  print("Deployed. Next, check that the dispatcher runs: `deno task cron:check`.");
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
