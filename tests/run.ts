/**
 * Runs the tests: `deno task test [layer | path ...] [--filter <name>]`, and with a layer's own
 * settings (`faults --kills 100`) for as long as they ask for. A path is a file or folder below
 * `tests/<layer>/`. The layers that need a database share one throwaway Postgres, or the server of DATABASE_URL, where a run makes databases of its own
 * and drops them. The last line of the output is `N passed, N failed`; the exit code is not zero when
 * a test failed, when a layer did not come to its end, or when nothing ran.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createTemplateDatabase } from "./support/template_database.ts";
import {
  addCounts,
  formatCounts,
  noCounts,
  readSummaryLine,
  type TestCounts,
  type TestLayer,
  testLayers,
} from "./support/test_layers.ts";
import { startThrowawayPostgres } from "./support/throwaway_postgres.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const layerTimeoutMs = 20 * 60_000;
/** Of a layer that was given settings of its own. */
const longRunTimeoutMs = 2 * 60 * 60_000;

interface Wishes {
  readonly filter: string | undefined;
  /** Values of layers' settings, by name. */
  readonly settings: Readonly<Record<string, string | undefined>>;
}

/** A layer, and what of it is to be run. */
interface ChosenLayer extends TestLayer {
  readonly paths: readonly string[];
}

interface TestServer extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
  readonly host: string;
}

const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => interruption.abort(new Error(`stopped by ${signal}`)));
}
Deno.exit(await main());

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    args: Deno.args,
    options: { filter: { type: "string" }, ...settingOptions() },
    allowPositionals: true,
  });
  const { filter, ...settings } = values;
  const paths = positionals.map(toTestPath);
  const unknown = paths.filter((path) => layerOf(path) === undefined);
  if (unknown.length > 0) {
    print(
      `No such layer: ${unknown.join(", ")}. Layers: ${testLayers.map((l) => l.name).join(", ")}`,
    );
    return 2;
  }
  const layers = await findLayers(paths);
  const counts = await runLayers(layers, { filter, settings }).catch((error) => {
    print(String(error));
    return { ...noCounts, failed: 1 };
  });
  print(formatCounts(counts));
  return counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}

function settingOptions(): Record<string, { type: "string" }> {
  const names = testLayers.flatMap((layer) => layer.settings ?? []);
  return Object.fromEntries(names.map((name) => [name, { type: "string" }]));
}

/** `unit` and `tests/unit` are the same layer; whatever stands below it is one of its paths. */
function toTestPath(wanted: string): string {
  const path = wanted.replace(/^\.\//, "").replace(/\/$/, "");
  return path.startsWith("tests/") ? path : `tests/${path}`;
}

function layerOf(path: string): TestLayer | undefined {
  return testLayers.find((layer) => layer.name === path.split("/")[1]);
}

async function findLayers(paths: readonly string[]): Promise<ChosenLayer[]> {
  const found: ChosenLayer[] = [];
  for (const layer of testLayers) {
    const folder = `tests/${layer.name}`;
    const wanted = paths.length === 0 ? [folder] : paths.filter((path) => layerOf(path) === layer);
    if (wanted.length === 0) continue;
    if (await hasTests(join(root, folder))) found.push({ ...layer, paths: wanted });
    else print(`${folder} has no tests`);
  }
  return found;
}

async function hasTests(folder: string): Promise<boolean> {
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (entry.isFile && entry.name.endsWith("_test.ts")) return true;
      if (entry.isDirectory && await hasTests(join(folder, entry.name))) return true;
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return false;
}

async function runLayers(
  layers: readonly ChosenLayer[],
  wishes: Wishes,
): Promise<TestCounts> {
  await using server = layers.some((layer) => layer.database) ? await openServer() : undefined;
  let counts = noCounts;
  for (const layer of layers) {
    interruption.signal.throwIfAborted();
    print(`\n── tests/${layer.name}`);
    counts = addCounts(counts, await runLayer(layer, layer.database ? server : undefined, wishes));
  }
  return counts;
}

async function openServer(): Promise<TestServer> {
  await using cleanup = new AsyncDisposableStack();
  let url = Deno.env.get("DATABASE_URL");
  if (url === undefined) url = cleanup.use(await startThrowawayPostgres()).databaseUrl;
  const template = await createTemplateDatabase(url, join(root, "migrations"));
  cleanup.defer(template.drop);
  const keep = cleanup.move();
  return {
    environment: {
      TEST_DATABASE_URL: url,
      TEST_TEMPLATE_DATABASE: template.name,
      TEST_RESET_PLAN: JSON.stringify(template.resetPlan),
    },
    host: new URL(url).hostname,
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

async function runLayer(
  layer: ChosenLayer,
  server: TestServer | undefined,
  wishes: Wishes,
): Promise<TestCounts> {
  const settings = (layer.settings ?? []).flatMap((name) => {
    const value = wishes.settings[name];
    return value === undefined ? [] : [`--${name}=${value}`];
  });
  const timeoutMs = settings.length > 0 ? longRunTimeoutMs : layerTimeoutMs;
  const deadline = AbortSignal.any([interruption.signal, AbortSignal.timeout(timeoutMs)]);
  // A test that found the developer's DATABASE_URL could write to it.
  const { DATABASE_URL: _, ...inherited } = Deno.env.toObject();
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...testArguments(layer, server?.host ?? "127.0.0.1", wishes.filter),
      ...(settings.length > 0 ? ["--", ...settings] : []),
    ],
    cwd: root,
    clearEnv: true,
    env: { ...inherited, ...server?.environment },
    stdin: "null",
    stdout: "piped",
    signal: deadline,
  }).spawn();
  const summary = await echoOutput(child.stdout);
  const { success } = await child.status;
  if (deadline.aborted) print(`tests/${layer.name} was stopped: ${deadline.reason}`);
  // Exit codes cover what no summary line counts: a type error, an uncaught error, a time-out.
  const uncounted = success || (summary?.failed ?? 0) > 0 ? 0 : 1;
  return addCounts(summary ?? noCounts, { ...noCounts, failed: uncounted });
}

function testArguments(
  layer: ChosenLayer,
  host: string,
  filter: string | undefined,
): string[] {
  return [
    "test",
    "--no-prompt",
    "--sanitize-ops",
    "--sanitize-resources",
    ...(layer.parallel ? ["--parallel"] : []),
    ...layer.permissions.map((flag) => flag.replace("<host>", host)),
    ...(filter === undefined ? [] : [`--filter=${filter}`]),
    ...layer.paths,
  ];
}

async function echoOutput(output: ReadableStream<Uint8Array>): Promise<TestCounts | undefined> {
  const decoder = new TextDecoder();
  let summary: TestCounts | undefined;
  let line = "";
  for await (const chunk of output) {
    await Deno.stdout.write(chunk);
    const lines = (line + decoder.decode(chunk, { stream: true })).split("\n");
    line = lines.pop() ?? "";
    for (const complete of lines) summary = readSummaryLine(complete) ?? summary;
  }
  return readSummaryLine(line) ?? summary;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
