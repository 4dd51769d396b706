/**
 * `deno task ok`, after format and lint: the tests, which check types themselves, and beside them what needs
 * one core only: the check against the hosted runtime, then the tests that reckon with dates, on another
 * day. The last line is `N passed, N failed` of all tests, in which a failed check counts as one failure.
 */

import { findClockObstacle } from "./support/clock/moved_clock.ts";
import {
  addCounts,
  formatCounts,
  noCounts,
  readCounts,
  type TestCounts,
} from "./support/runner/test_layers.ts";

/** More than a year, so that no month and no day of the week is today's. */
const daysAhead = 400;
/** Half a minute of two cores: an upgrade's documented calls, windows, batches, costs, retention. */
const datedTests = [
  "faults/upgrade_calls_test.ts",
  "functions/contacts_api/window_test.ts",
  "functions/outside_window/departures_test.ts",
  "functions/batches_api/costs_test.ts",
  "functions/batches_api/draft_test.ts",
  "functions/metrics/costs_test.ts",
  "functions/provider_webhook/costs_test.ts",
  "functions/dispatch_queue/retention_test.ts",
  "functions/dispatch_queue/retention_days_test.ts",
];

Deno.exit(await main());

async function main(): Promise<number> {
  const [tests, beside] = await Promise.all([runTests([], ""), runBeside()]);
  const counts = addCounts(tests, beside);
  print("");
  print(formatCounts(counts));
  return counts.failed > 0 ? 1 : 0;
}

async function runBeside(): Promise<TestCounts> {
  const check = startTask("check:hosted");
  const [printed, errors, { success }] = await Promise.all([
    new Response(check.stdout).text(),
    new Response(check.stderr).text(),
    check.status,
  ]);
  print(`── check:hosted\n${printed}${errors}`);
  const counts = { ...noCounts, failed: success ? 0 : 1 };
  const obstacle = await findClockObstacle();
  if (obstacle === null) {
    const args = ["--no-check", "--clock", `+${daysAhead}d`, ...datedTests];
    return addCounts(counts, await runTests(args, `in ${daysAhead} days: `));
  }
  print(`── tests in ${daysAhead} days: left out, because ${obstacle}\n`);
  return counts;
}

/** Runs tests and prints what they print, with a prefix. A run that fails without a failed test is one. */
async function runTests(args: readonly string[], prefix: string): Promise<TestCounts> {
  const tests = startTask("test", args);
  let counts: TestCounts | undefined;
  const show = (line: string): void => {
    counts = readCounts(line) ?? counts;
    // The sum is printed at the end.
    if (readCounts(line) === undefined) print(`${prefix}${line}`);
  };
  const [, , { success }] = await Promise.all([
    readLines(tests.stdout, show),
    readLines(tests.stderr, (line) => print(`${prefix}${line}`)),
    tests.status,
  ]);
  const uncounted = success || (counts?.failed ?? 0) > 0 ? 0 : 1;
  return addCounts(counts ?? noCounts, { ...noCounts, failed: uncounted });
}

function startTask(name: string, args: readonly string[] = []): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", name, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function readLines(
  stream: ReadableStream<Uint8Array>,
  onLine: (line: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  }
  if (rest !== "") onLine(rest);
}

function print(line: string): void {
  const bytes = new TextEncoder().encode(`${line}\n`);
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(Deno.stdout.writeSync(rest));
}
