import { faultSettingNames } from "../faults/settings.ts";

export type Lane = "apps" | "processes";

/**
 * How many layers or files of a lane run at once. The files of `processes` mostly wait: for kills, leases,
 * intervals and providers. With fewer workers a processor waits with them.
 */
export const workersOf: Readonly<Record<Lane, number>> = { apps: 1, processes: 3 };

/** A layer of the test suite, with its permissions. */
export interface TestLayer {
  readonly name: string;
  /** Where its tests are, other than in `tests/<name>`. */
  readonly folder?: string;
  /**
   * Lanes run in parallel, the layers of a lane one after the other. So layers that wait for kills,
   * restarts and intervals run beside layers that use the processor.
   */
  readonly lane: Lane;
  /**
   * Set if each file runs in a process of its own, so that the workers of the lane share them: the
   * files that take longest, which start first.
   */
  readonly longestFiles?: readonly string[];
  /**
   * Set if its files share that many isolates. Each isolate loads the modules of its files once; one
   * isolate per file took half of the processor time of `unit`, a third of that of `functions`.
   */
  readonly isolates?: number;
  /**
   * A folder of the layer whose files keep isolates of their own, because they listen to uncaught errors
   * (driver_faults.ts): they would hear other files'.
   */
  readonly unsharedFolder?: string;
  /** Whether its tests need a Postgres. */
  readonly database: boolean;
  /** Whether its files may run in parallel. */
  readonly parallel: boolean;
  /** Permission flags; `<host>` stands for the database's host. */
  readonly permissions: readonly string[];
  /** Command-line options that its tests read (`--kills 100`), for longer runs. */
  readonly settings?: readonly string[];
}

// The Postgres client and msw read the whole environment, so the permission cannot be narrowed.
const onMachine = ["--allow-env", "--allow-net=127.0.0.1,<host>", "--allow-read"];

export const testLayers: readonly TestLayer[] = [
  {
    name: "functions",
    lane: "apps",
    isolates: 4,
    database: true,
    parallel: true,
    permissions: onMachine,
  },
  {
    name: "database",
    lane: "apps",
    isolates: 4,
    unsharedFolder: "transports",
    database: true,
    parallel: true,
    permissions: onMachine,
  },
  // These layers start and kill servers, and mostly wait. More than the lane's workers would starve
  // each other.
  {
    name: "faults",
    lane: "processes",
    database: true,
    parallel: false,
    longestFiles: [
      "killed_dispatcher_test.ts",
      "provider_faults_test.ts",
      "upgrade_test.ts",
      "upgrade_calls_test.ts",
      "idempotency_test.ts",
    ],
    permissions: ["--allow-all"],
    settings: faultSettingNames,
  },
  {
    name: "e2e",
    lane: "processes",
    longestFiles: [
      "deploy_test.ts",
      "console_batches_test.ts",
      "stack_lifecycle_test.ts",
      "phone_page_test.ts",
      "stack_losses_test.ts",
      "stack_kill_test.ts",
    ],
    database: true,
    parallel: false,
    permissions: ["--allow-all"],
  },
  {
    name: "packages",
    folder: "packages",
    lane: "processes",
    longestFiles: ["nodes_test.ts", "packed_client_test.ts"],
    database: true,
    parallel: false,
    permissions: ["--allow-all"],
  },
  // Short, and last: they fill the lane that ends first.
  {
    name: "unit",
    lane: "processes",
    isolates: 4,
    database: false,
    parallel: true,
    permissions: [],
  },
  {
    name: "architecture",
    lane: "processes",
    isolates: 2,
    database: false,
    parallel: true,
    permissions: ["--allow-read=."],
  },
];

/** The folder of a layer's tests. */
export function folderOf({ name, folder }: Pick<TestLayer, "name" | "folder">): string {
  return folder ?? `tests/${name}`;
}

/** The sum of the summary lines of `deno test`. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const noCounts: TestCounts = { passed: 0, failed: 0, skipped: 0 };

/** Adds two counts. */
export function addCounts(a: TestCounts, b: TestCounts): TestCounts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}

/**
 * Reads the last line of `deno test`, `ok | 3 passed (2 steps) | 0 failed | 1 ignored (5ms)`.
 *
 * @returns undefined for any other line.
 */
export function readSummaryLine(line: string): TestCounts | undefined {
  const plain = stripColors(line);
  if (!/^(?:ok|FAILED) \| \d+ passed/.test(plain)) return undefined;
  const count = (word: string): number =>
    Number(new RegExp(`\\| (\\d+) ${word}`).exec(plain)?.[1] ?? 0);
  return { passed: count("passed"), failed: count("failed"), skipped: count("ignored") };
}

/** A line of a terminal without its colors. */
export function stripColors(line: string): string {
  // deno-lint-ignore no-control-regex
  return line.replaceAll(/\u001b\[[0-9;]*m/g, "");
}

/** The last line of a run: `3 passed, 0 failed`, with skipped tests if there are any. */
export function formatCounts(counts: TestCounts): string {
  const line = `${counts.passed} passed, ${counts.failed} failed`;
  return counts.skipped === 0 ? line : `${line}, ${counts.skipped} skipped`;
}

/** Reads a line that `formatCounts` has written. @returns undefined for any other line. */
export function readCounts(line: string): TestCounts | undefined {
  const read = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(line);
  if (read === null) return undefined;
  const [, passed, failed, skipped = 0] = read;
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}
