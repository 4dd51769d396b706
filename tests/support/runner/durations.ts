/** How long each test took in its last run, in a file that git ignores. */

import { dirname } from "node:path";
import type { TestResult } from "./test_report.ts";

/** Seconds of each test, by the path of its file and its name. */
export type Durations = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The tests of a run: how many, and how long they took. */
export interface RunEstimate {
  readonly tests: number;
  readonly seconds: number;
  readonly files: number;
  /** Those that have run before. */
  readonly knownFiles: number;
}

/** Reads what former runs have written; nothing where there is none, or where it is damaged. */
export async function readDurations(path: string): Promise<Durations> {
  try {
    return JSON.parse(await Deno.readTextFile(path)) as Durations;
  } catch {
    return {};
  }
}

/** Writes durations. A folder that cannot be written to only costs the next run its estimate. */
export async function writeDurations(path: string, durations: Durations): Promise<void> {
  try {
    await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await Deno.writeTextFile(`${path}.${Deno.pid}`, JSON.stringify(durations, null, 1));
    await Deno.rename(`${path}.${Deno.pid}`, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
  }
}

/**
 * The durations of a run's tests. Tests in parallel share its time, and so does what it needs to start.
 *
 * @param seconds of the whole run.
 */
export function shareSeconds(results: readonly TestResult[], seconds: number): Durations {
  // A test of no time still has its part of the start.
  const weigh = ({ seconds }: TestResult): number =>
    0.001 + (Number.isFinite(seconds) ? seconds : 0);
  // The report lists steps too, as `<test> > <step>`.
  const names = new Set(results.map(({ name }) => name));
  const tests = results.filter(({ name }) =>
    !names.has(name.split(" > ").slice(0, -1).join(" > "))
  );
  const sum = tests.reduce((total, result) => total + weigh(result), 0);
  const shares: Record<string, Record<string, number>> = {};
  for (const result of tests) {
    const share = seconds * weigh(result) / sum;
    (shares[result.file] ??= {})[result.name] = Math.round(share * 1_000) / 1_000;
  }
  return shares;
}

/**
 * Adds the durations of a run to former ones.
 *
 * @param isFiltered whether its files have tests that did not run.
 */
export function addDurations(former: Durations, run: Durations, isFiltered: boolean): Durations {
  const changed = Object.entries(run).map(([file, tests]) =>
    [file, isFiltered ? { ...former[file], ...tests } : tests] as const
  );
  return { ...former, ...Object.fromEntries(changed) };
}

/** Estimates a run of files. @param filter as `deno test` takes it. */
export function estimateRun(
  durations: Durations,
  files: readonly string[],
  filter: string | undefined,
): RunEstimate {
  const matches = readFilter(filter);
  const known = files.flatMap((file) => Object.entries(durations[file] ?? {}));
  const tests = known.filter(([name]) => matches(name));
  return {
    tests: tests.length,
    seconds: tests.reduce((sum, [, seconds]) => sum + seconds, 0),
    files: files.length,
    knownFiles: files.filter((file) => durations[file] !== undefined).length,
  };
}

function readFilter(filter = ""): (name: string) => boolean {
  const pattern = /^\/(.*)\/$/.exec(filter)?.[1];
  if (pattern === undefined) return (name) => name.includes(filter);
  try {
    const expression = new RegExp(pattern, "u");
    return (name) => expression.test(name);
  } catch {
    // The syntax of Deno's expressions differs a little.
    return () => true;
  }
}
