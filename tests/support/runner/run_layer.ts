/** Runs one layer of the tests in its own `deno test` process. */

import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listTests } from "./list_tests.ts";
import { writeSharedIsolates } from "./shared_isolates.ts";
import { readTestResults, type TestResult } from "./test_report.ts";
import { addCounts, folderOf, noCounts, readSummaryLine, type TestCounts } from "./test_layers.ts";
import type { ChosenLayer } from "./test_selection.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** Ends a layer that hangs: far above the duration on a slow machine, and below the limit of `.ci/run`. */
const layerTimeoutMs = 40 * 60_000;
/** The same for one test, unless told otherwise. */
const testTimeoutMs = 10 * 60_000;
/**
 * Megabytes of young objects between two collections, which otherwise run every few megabytes: a test
 * drops all that it has made. Collecting less took 4 % of a layer's instructions away.
 */
const heapFlags = ["--min-semi-space-size=64", "--max-semi-space-size=128"];
const failureTeller = await readFile(new URL("tell_failures.ts", import.meta.url), "utf8");
/** Time limit of a layer with settings of its own, and of its tests. */
const longRunTimeoutMs = 2 * 60 * 60_000;

/** Options of the command line. */
export interface RunOptions {
  readonly filter: string | undefined;
  /** Values of layers' settings, by name. */
  readonly settings: Readonly<Record<string, string | undefined>>;
}

/** The Postgres server of the tests, and the variables that name it. */
export interface TestServer {
  readonly environment: Readonly<Record<string, string>>;
  readonly host: string;
}

export interface LayerRun {
  readonly layer: ChosenLayer;
  readonly options: RunOptions;
  readonly server: TestServer | undefined;
  /** Stops the layer. */
  readonly signal: AbortSignal;
  /** Fails a test that takes longer. */
  readonly testTimeoutMs?: number;
  /** Receives the output as it comes, line by line. */
  readonly write: (line: string) => void;
}

export interface LayerResult {
  readonly counts: TestCounts;
  readonly results: readonly TestResult[];
}

/**
 * Runs a layer, without a check of its types. Runs it once more where Deno itself has panicked, which
 * its module map does now and then under many isolates: that is no verdict of a test.
 */
export async function runLayer(run: LayerRun): Promise<LayerResult> {
  const { hasPanicked, ...result } = await runOnce(run);
  if (!hasPanicked || run.signal.aborted) return result;
  run.write(`${folderOf(run.layer)} runs once more: Deno has panicked`);
  const { hasPanicked: _, ...secondResult } = await runOnce(run);
  return secondResult;
}

async function runOnce(run: LayerRun): Promise<LayerResult & { hasPanicked: boolean }> {
  const { layer, options } = run;
  const settings = (layer.settings ?? []).flatMap((name) => {
    const value = options.settings[name];
    return value === undefined ? [] : [`--${name}=${value}`];
  });
  const hasSettings = settings.length > 0;
  const timeoutMs = hasSettings ? longRunTimeoutMs : layerTimeoutMs;
  const teller = writeTeller(run.testTimeoutMs ?? (hasSettings ? longRunTimeoutMs : testTimeoutMs));
  const deadline = AbortSignal.any([run.signal, AbortSignal.timeout(timeoutMs)]);
  const folder = await Deno.makeTempDir({ prefix: "messaging-test-run-" });
  const report = join(folder, "report.xml");
  try {
    // A stopped layer writes no report.
    await Deno.writeTextFile(report, "");
    const paths = await choosePaths(layer, folder);
    const child = startTests(run, { paths, report, settings, teller, deadline });
    // Reads both streams at the same time: an unread stream would fill up and block the tests.
    const [{ summary, lastLines }, errors] = await Promise.all([
      copyOutput(child.stdout, run.write),
      copyOutput(child.stderr, run.write),
    ]);
    const { success } = await child.status;
    if (deadline.aborted) run.write(`${folderOf(layer)} was stopped: ${deadline.reason}`);
    // The exit code covers failures without a summary line: an uncaught error or a time-out.
    const uncounted = success || (summary?.failed ?? 0) > 0
      ? []
      : [{ name: "did not end", file: paths.join(" "), seconds: NaN, failure: lastLines }];
    return {
      counts: addCounts(summary ?? noCounts, { ...noCounts, failed: uncounted.length }),
      results: [...readTestResults(await Deno.readTextFile(report)), ...uncounted],
      hasPanicked: !success && errors.lastLines.includes("\nDeno has panicked."),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A whole layer may share isolates. Chosen files or folders run as they are, under their own names. */
async function choosePaths(layer: ChosenLayer, folder: string): Promise<readonly string[]> {
  const { isolates, unsharedFolder } = layer;
  const whole = folderOf(layer);
  if (isolates === undefined || !layer.paths.includes(whole)) return layer.paths;
  const listed = await listTests(root, whole);
  const unshared = unsharedFolder === undefined
    ? []
    : listed.filter((file) => file.startsWith(`${whole}/${unsharedFolder}/`));
  const files = listed.filter((file) => !unshared.includes(file));
  return [...unshared, ...await writeSharedIsolates({ root, folder, isolates, files })];
}

function startTests(
  { layer, options, server }: LayerRun,
  { paths, report, settings, teller, deadline }: {
    paths: readonly string[];
    report: string;
    settings: string[];
    teller: string;
    deadline: AbortSignal;
  },
): Deno.ChildProcess {
  // Removes the developer's DATABASE_URL, so that no test can write to that database.
  const { DATABASE_URL: _, ...inherited } = Deno.env.toObject();
  return new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "--no-prompt",
      "--no-check",
      `--config=${join(root, "deno.json")}`,
      `--lock=${join(root, "deno.lock")}`,
      "--sanitize-ops",
      "--sanitize-resources",
      `--v8-flags=${heapFlags.join(",")}`,
      `--junit-path=${report}`,
      `--preload=${teller}`,
      ...(layer.parallel ? ["--parallel"] : []),
      ...layer.permissions.map((flag) => flag.replace("<host>", server?.host ?? "127.0.0.1")),
      ...(options.filter === undefined ? [] : [`--filter=${options.filter}`]),
      ...paths,
      ...(settings.length > 0 ? ["--", ...settings] : []),
    ],
    cwd: root,
    clearEnv: true,
    env: {
      // More isolates than processors: each waits for Postgres now and then.
      DENO_JOBS: String(navigator.hardwareConcurrency + 2),
      ...inherited,
      ...(layer.database ? server?.environment : {}),
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: deadline,
  }).spawn();
}

/** The text of tell_failures.ts, as the URL that it asks for. */
function writeTeller(limitMs: number): string {
  const text = `const limitMs = ${limitMs};\n${failureTeller}`;
  return `data:application/typescript;base64,${Buffer.from(text).toString("base64")}`;
}

async function copyOutput(
  output: ReadableStream<Uint8Array>,
  write: (line: string) => void,
): Promise<{ summary: TestCounts | undefined; lastLines: string }> {
  const decoder = new TextDecoder();
  let summary: TestCounts | undefined;
  let lastLines: string[] = [];
  let line = "";
  for await (const chunk of output) {
    const lines = (line + decoder.decode(chunk, { stream: true })).split("\n");
    line = lines.pop() ?? "";
    for (const complete of lines) {
      write(complete);
      summary = readSummaryLine(complete) ?? summary;
    }
    lastLines = [...lastLines, ...lines].slice(-40);
  }
  if (line !== "") write(line);
  return {
    summary: readSummaryLine(line) ?? summary,
    lastLines: [...lastLines, line].join("\n"),
  };
}
