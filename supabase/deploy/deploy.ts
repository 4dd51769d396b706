/**
 * `deno task deploy`: brings a project to this release. It compares what the database has applied with
 * the files, applies the expand migrations, waits until the Data API knows them, then uploads the functions. `--contract` applies the
 * contract migrations, once the functions of this release answer. Idempotent. See docs/deploy.md.
 */

import { Command } from "commander";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../../shared/model/version.ts";
import { MigrationError, readMigrations } from "../host/migration_files.ts";
import { printText } from "../host/terminal.ts";
import { printError, readCommandLine } from "./command_line.ts";
import { type DeployTarget, neededVariables, readTarget } from "./deploy_target.ts";
import { readDeployedVersion } from "./deployed_version.ts";
import { pushMigrations, readAppliedMigrations } from "./migration_push.ts";
import { reloadSchema } from "./schema_reload.ts";
import { runSupabaseCli, SupabaseCliError } from "./supabase_cli.ts";
import { fileOf, planUpgrade, type UpgradePlan, UpgradeRefusal } from "./upgrade_plan.ts";

/** A deployment stopped. The message says what is done, what runs, and how to go on. */
export class DeployError extends Error {
  override readonly name = "DeployError";
}

/** How a deployment is done. */
export interface DeployOptions {
  /** Only say what would be done. */
  readonly dryRun: boolean;
  /** Apply the contract migrations instead of what comes before them. */
  readonly contract: boolean;
  /** The repository's folder. */
  readonly root: string;
  /** Variables for the Supabase CLI. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Checks that must pass before anything is deployed. */
  readonly check: () => Promise<void>;
  readonly show: (text: string) => void;
}

/**
 * Deploys this checkout, or its contract migrations.
 *
 * @throws {DeployError} when a step fails, {@link UpgradeRefusal} when database and files do not fit;
 * then nothing was done.
 */
export async function deploy(target: DeployTarget, options: DeployOptions): Promise<void> {
  const { root, show, dryRun, contract } = options;
  const say = (line: string): void => show(`${line}\n`);
  const applied = await atStep(
    "The database could not be read: nothing was deployed.",
    () => readAppliedMigrations(root, target),
  );
  const folder = join(root, "migrations");
  const plan = planUpgrade(applied, await readMigrations(folder));
  if (dryRun) return describePlan(plan, contract).forEach(say);
  const push = async (step: keyof UpgradePlan, failure: string): Promise<void> => {
    if (plan[step].length === 0) return say(`No ${step} migration is pending.`);
    await atStep(failure, () => pushMigrations(folder, target, applied, plan[step], show));
  };
  if (contract) {
    await refuseContract(target, plan);
    await push("contract", contractFailure);
    return say(`The database is that of ${version}.`);
  }
  await options.check();
  await push("expand", expandFailure);
  await atStep(reloadFailure, () => reloadSchema(root, target, options.environment));
  say("The Data API knows the schema.");
  await atStep(uploadFailure, () => deployFunctions(target, options));
  describeNext(plan).forEach(say);
}

const expandFailure =
  "A migration failed. It left nothing behind, those before it stay; the functions were not touched, and " +
  "the service runs on. Mend what the message above names, then run the same command again: it goes on " +
  "with the failed migration.";

const reloadFailure =
  "The functions were not uploaded: they would call what the Data API does not know yet. The database is " +
  "ready for both releases, and the service runs on. Run the same command again.";

const uploadFailure =
  "The upload of the functions failed. The database is ready for both releases, and the functions that " +
  "were not uploaded run on as before. Run the same command again.";

const contractFailure =
  "A contract migration failed. It left nothing behind, and the service runs on. Mend what the message " +
  "above names, then run the same command again.";

async function atStep<Result>(failure: string, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof SupabaseCliError)) throw error;
    throw new DeployError(`${error.message}\n${failure}`, { cause: error });
  }
}

/** Contract migrations end what older functions use, so those of this release must answer already. */
async function refuseContract(target: DeployTarget, plan: UpgradePlan): Promise<void> {
  if (plan.expand.length > 0) {
    throw new DeployError(
      `${
        fileOf(plan.expand[0] ?? { version: "", name: "" })
      } is not applied yet: run \`deno task deploy\` first. Nothing was done.`,
    );
  }
  const deployed = await readDeployedVersion(target.apiUrl);
  if (deployed === version) return;
  throw new DeployError(
    `The functions at ${target.apiUrl} are ${
      deployed ?? "not there, or older than 1.0.0"
    }, and this checkout is ` +
      `${version}: run \`deno task deploy\` first. Nothing was done.`,
  );
}

/** Uploads every function; the platform bundles them. @throws {SupabaseCliError} */
export async function deployFunctions(
  { projectRef, accessToken }: Pick<DeployTarget, "projectRef" | "accessToken">,
  { root, environment = {}, show }: Pick<DeployOptions, "root" | "environment" | "show">,
): Promise<void> {
  const args = ["functions", "deploy", "--use-api", `--remote=${projectRef}`, "--yes"];
  await runSupabaseCli(root, args, { ...environment, SUPABASE_ACCESS_TOKEN: accessToken }, show);
}

function describePlan(plan: UpgradePlan, contract: boolean): string[] {
  const list = (step: keyof UpgradePlan): string =>
    plan[step].length === 0 ? "none" : plan[step].map(fileOf).join(", ");
  return [
    `Nothing is done. To bring the project to ${version}:`,
    `1. Expand migrations, on which the present functions go on: ${list("expand")}.`,
    "2. The functions of this checkout.",
    `3. Contract migrations, by \`deno task deploy --contract\` afterwards: ${list("contract")}.`,
    `This command would do ${contract ? "3" : "1 and 2"}.`,
  ];
}

function describeNext({ contract }: UpgradePlan): string[] {
  return [
    `${version} is deployed. Check with \`deno task cron:check\` that the dispatcher runs.`,
    ...(contract.length === 0 ? [] : [
      `When all is well: \`deno task deploy --contract\` applies ${
        contract.map(fileOf).join(", ")
      }. There is no way back to the former release then.`,
    ]),
  ];
}

/** Checks that must pass before anything is deployed. */
const checks: readonly (readonly string[])[] = [
  ["check", "--lock=deno.lock", "functions", "shared"],
  ["task", "db:migration"],
  ["task", "check:hosted"],
];

async function check(root: string): Promise<void> {
  for (const args of checks) {
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: [...args],
      cwd: root,
      stdin: "null",
      stdout: "inherit",
      stderr: "inherit",
    }).output();
    if (!success) throw new DeployError(`deno ${args.join(" ")} failed: nothing was deployed.`);
  }
}

const command = new Command("deno task deploy")
  .description(
    "Brings a project to this release: checks the code, applies the expand migrations, uploads every function.",
  )
  .option("--dry-run", "only say what would be done", false)
  .option("--contract", "apply the contract migrations, after the functions of this release", false)
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
  const root = fileURLToPath(new URL("../..", import.meta.url));
  try {
    await deploy(target, {
      dryRun: options["dryRun"] === true,
      contract: options["contract"] === true,
      root,
      check: () => check(root),
      show: (text) => printText(Deno.stdout, text),
    });
  } catch (error) {
    const isExpected = [DeployError, UpgradeRefusal, MigrationError]
      .some((expected) => error instanceof expected);
    if (!isExpected) throw error;
    printError((error as Error).message);
    return 1;
  }
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
