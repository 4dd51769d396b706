/**
 * Runs the tests: `deno task test [layer | path ...] [--changed] [--filter <name>]`, and with a
 * layer's own settings (`faults --kills 100`). A path is a file or folder below `tests/<layer>/`;
 * `--changed` selects the tests that the difference from `main` affects; `--clock <instant>` runs them
 * on another day. Checks types once, beside the lanes of test_layers.ts, which run in parallel: wrong
 * types are printed at once, first among what failed, and count as one failure; `--no-check` leaves that
 * out. Layers that need a database share one throwaway Postgres, or the server of DATABASE_URL, where a
 * run creates and drops its own databases. The last line of the output is `N passed, N failed`. The exit
 * code is not zero when a test failed, a layer was stopped, or nothing ran.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runOnClock } from "./support/clock/run_on_clock.ts";
import { checkTypes } from "./support/runner/check_types.ts";
import { findAffectedTests } from "./support/runner/affected_tests.ts";
import { followRun } from "./support/runner/follow_run.ts";
import { listTests } from "./support/runner/list_tests.ts";
import { listChangedFiles, readModules } from "./support/runner/changed_files.ts";
import {
  type LayerResult,
  runLayer,
  type RunOptions,
  type TestServer,
} from "./support/runner/run_layer.ts";
import { keepTemporaryFilesInMemory } from "./support/runner/temporary_folder.ts";
import { describeFailures, describeSlowest } from "./support/runner/test_report.ts";
import {
  copyCluster,
  initialiseCluster,
  initialisedCluster,
} from "./support/database/cluster_copy.ts";
import { startSessionKeeper } from "./support/database/session_keeper.ts";
import { createTemplateDatabase } from "./support/database/template_database.ts";
import {
  addCounts,
  formatCounts,
  type Lane,
  noCounts,
  testLayers,
  workersOf,
} from "./support/runner/test_layers.ts";
import {
  chooseLayers,
  type ChosenLayer,
  layerOf,
  splitIntoRuns,
  toTestPath,
} from "./support/runner/test_selection.ts";
import { foldersOf } from "../supabase/tools/migrations/scratch_databases.ts";
import { replaceCommand } from "../supabase/tools/migrations/open_migrations.ts";
import { findFilesAheadOfMigrations } from "../supabase/tools/migrations/schema_drift.ts";
import { startThrowawayPostgres } from "../supabase/local/throwaway_postgres.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const lanes = Object.keys(workersOf) as readonly Lane[];
/** While tests run, the line of their progress stays below what is printed. */
let print = printPlainly;
const failure: LayerResult = { counts: { ...noCounts, failed: 1 }, results: [] };

const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => interruption.abort(new Error(`stopped by ${signal}`)));
}
keepTemporaryFilesInMemory();
Deno.exit(await main());

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    args: Deno.args,
    options: {
      filter: { type: "string" },
      changed: { type: "boolean" },
      clock: { type: "string" },
      "no-check": { type: "boolean" },
      ...settingOptions(),
    },
    allowPositionals: true,
  });
  const { filter, changed, clock, "no-check": noCheck, ...settings } = values;
  const paths = positionals.map(toTestPath);
  const unknown = paths.filter((path) => layerOf(path) === undefined);
  if (unknown.length > 0) {
    print(
      `No such layer: ${unknown.join(", ")}. Layers: ${testLayers.map((l) => l.name).join(", ")}`,
    );
    return 2;
  }
  if (clock !== undefined) return await runOnClock({ clock, signal: interruption.signal, print });
  if (changed === true) {
    const affected = findAffectedTests(await listChangedFiles(root), await readModules(root));
    if (affected.length === 0) {
      print("Nothing differs from main.");
      return 0;
    }
    paths.push(...affected);
  }
  const options = { filter, settings: readTexts(settings) };
  const results = await runLayers(chooseLayers(paths), options, noCheck !== true).catch((error) => {
    print(String(error));
    return [failure];
  });
  return report(results, paths.length === 0);
}

function settingOptions(): Record<string, { type: "string" }> {
  const names = testLayers.flatMap((layer) => layer.settings ?? []);
  return Object.fromEntries(names.map((name) => [name, { type: "string" }]));
}

function readTexts(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : []
    ),
  );
}

function report(results: readonly LayerResult[], isWhole: boolean): number {
  const counts = results.map((result) => result.counts).reduce(addCounts, noCounts);
  if (isWhole) {
    const tests = results.flatMap((result) => result.results);
    print("\n── the slowest tests");
    for (const line of describeSlowest(tests)) print(line);
    // Once more at the end, where a log that keeps its last lines only still has them.
    const failures = describeFailures(tests);
    if (failures.length > 0) print("\n── what failed");
    for (const line of failures) print(line);
    print("");
  }
  print(formatCounts(counts));
  return counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}

async function runLayers(
  layers: readonly ChosenLayer[],
  options: RunOptions,
  checksTypes: boolean,
): Promise<LayerResult[]> {
  if (layers.some((layer) => layer.database)) await refuseUnwrittenMigration();
  await using server = new AsyncDisposableStack();
  const checked = checksTypes ? checkTypesOf(layers) : undefined;
  const environment = layers.some((layer) => layer.database)
    ? await openServer(layers, server)
    : undefined;
  const results = await runParts(await splitIntoParts(layers), options, environment);
  const types = await checked;
  interruption.signal.throwIfAborted();
  return [...(types === undefined ? [] : [types]), ...results];
}

function listFiles(folder: string): Promise<string[]> {
  return listTests(root, folder);
}

/** The parts of each lane, in the order in which its workers take them. */
async function splitIntoParts(layers: readonly ChosenLayer[]): Promise<Map<Lane, ChosenLayer[]>> {
  const parts = new Map<Lane, ChosenLayer[]>();
  for (const lane of lanes) {
    const chosen = layers.filter((layer) => layer.lane === lane);
    const runs = await Promise.all(chosen.map((layer) => splitIntoRuns(layer, listFiles)));
    parts.set(lane, runs.flat());
  }
  return parts;
}

async function runParts(
  waiting: ReadonlyMap<Lane, ChosenLayer[]>,
  options: RunOptions,
  server: TestServer | undefined,
): Promise<LayerResult[]> {
  const followed = await followRun({
    parts: [...waiting.values()].flat(),
    filter: options.filter,
    listFiles,
    root,
    write,
    columns: Deno.stdout.isTerminal() ? Deno.consoleSize().columns : undefined,
  });
  print = followed.print;
  const { signal } = interruption;
  const work = async (lane: Lane): Promise<LayerResult[]> => {
    const done: LayerResult[] = [];
    // A worker without work of its own takes files of processes, which run in any number.
    const take = (): ChosenLayer | undefined =>
      waiting.get(lane)?.shift() ?? waiting.get("processes")?.shift();
    for (let layer = take(); layer !== undefined; layer = take()) {
      signal.throwIfAborted();
      const run = { layer, options, server, signal };
      done.push(await followed.follow(layer, (write) => runLayer({ ...run, write })));
    }
    return done;
  };
  const results = await Promise.all(
    lanes.flatMap((lane) => Array.from({ length: workersOf[lane] }, () => work(lane))),
  ).finally(() => {
    print = printPlainly;
    return followed.close();
  });
  return results.flat();
}

/** Databases are built from the migrations: tests would run on SQL that the schemas no longer say. */
async function refuseUnwrittenMigration(): Promise<void> {
  const ahead = await findFilesAheadOfMigrations(foldersOf(root));
  if (ahead.length === 0) return;
  throw new Error(
    `supabase/schemas are ahead of migrations/: run \`${replaceCommand}\` (${ahead.join(", ")})`,
  );
}

/** Checks types once for all layers, beside them, and prints at once what is wrong. */
async function checkTypesOf(layers: readonly ChosenLayer[]): Promise<LayerResult> {
  const paths = layers.flatMap((layer) => layer.paths);
  const isWhole = testLayers.every(({ name }) => paths.includes(`tests/${name}`));
  const { signal } = interruption;
  const checked = await checkTypes({ root, paths: isWhole ? ["."] : paths, signal });
  for (const line of describeFailures(checked.results)) print(line);
  return checked;
}

async function openServer(
  layers: readonly ChosenLayer[],
  cleanup: AsyncDisposableStack,
): Promise<TestServer> {
  // Only the layers of this lane start servers of their own.
  const cluster = layers.some(({ lane }) => lane === "processes")
    ? cleanup.use(await initialiseCluster()).path
    : undefined;
  let url = Deno.env.get("DATABASE_URL");
  if (url === undefined) {
    const prepare = (folder: string): Promise<void> => copyCluster(folder, cluster);
    url = cleanup.use(await startThrowawayPostgres(prepare)).databaseUrl;
  }
  const template = await createTemplateDatabase(url, join(root, "migrations"));
  cleanup.defer(template.drop);
  const keeper = cleanup.use(startSessionKeeper(url));
  return {
    environment: {
      TEST_DATABASE_URL: url,
      TEST_KEPT_SESSIONS_URL: keeper.url,
      TEST_TEMPLATE_DATABASE: template.name,
      TEST_RESET_PLAN: JSON.stringify(template.resetPlan),
      ...(cluster === undefined ? {} : { [initialisedCluster]: cluster }),
    },
    host: new URL(url).hostname,
  };
}

function printPlainly(line: string): void {
  write(`${line}\n`);
}

function write(text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(Deno.stdout.writeSync(rest));
}
