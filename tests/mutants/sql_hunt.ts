/** Hunts mutants of SQL functions, in copies of one database. */

import { join } from "node:path";
import { listTests } from "../support/runner/list_tests.ts";
import { type Coverage, keyOf, readCoverage } from "./coverage.ts";
import { type Callers, readCallers } from "./function_calls.ts";
import { describeVerdict, huntMutant, type HuntOptions, type Verdict } from "./kills.ts";
import type { Mutant } from "./mutant.ts";
import {
  type DatabaseVariables,
  type MutatedDatabase,
  startMutatedDatabase,
} from "./mutated_database.ts";
import { isReaching, listWords, orderTests, type Reach } from "./test_order.ts";
import { startTestProcess, type TestOutcome, type TestProcess } from "./test_process.ts";
import type { LoadedTest } from "./test_worker.ts";

const folders = ["tests/database", "tests/functions"];
/** What tests call an area, where their paths do not have its name. */
const subjectsOfArea: Readonly<Record<string, readonly string[]>> = {
  inbound: ["provider_webhook", "grouped_webhooks"],
  costs: ["cost", "budget", "usage"],
  events: ["event", "webhooks/", "snapshot"],
};

interface World {
  readonly database: MutatedDatabase;
  readonly process: TestProcess;
  readonly coverage: Coverage;
  readonly callers: Callers;
  readonly texts: ReadonlyMap<string, string>;
  /** Tests that have passed in this run where nothing is broken. */
  readonly sound: Set<string>;
}

/** @returns a verdict of each mutant that Postgres takes. */
export async function huntSqlMutants(
  mutants: readonly Mutant[],
  options: HuntOptions,
): Promise<Verdict[]> {
  const { root, report, signal } = options;
  if (mutants.length === 0) return [];
  await using database = await startMutatedDatabase(root);
  const files = (await Promise.all(folders.map((folder) => listTests(root, folder)))).flat()
    .filter((file) => file.includes(options.tests));
  await using process = await startTestProcess(root, files, database.original);
  const coverage = await readCoverage(root, join(root, ".local/mutants/calls.json"));
  const callers = await readCallers(database.catalogue);
  const texts = new Map<string, string>();
  for (const file of files) texts.set(file, await Deno.readTextFile(join(root, file)));
  const killersOf = new Map<string, Map<string, number>>();
  const verdicts: Verdict[] = [];
  const sound = new Set<string>();
  for (const mutant of mutants) {
    if (signal.aborted) break;
    const killers = killersOf.get(mutant.file) ?? new Map<string, number>();
    killersOf.set(mutant.file, killers);
    const world = { database, process, coverage, callers, texts, sound };
    const verdict = await huntInCopy(mutant, { world, killers, options });
    await coverage.save();
    if (verdict === null) continue;
    for (const { test } of verdict.killers) {
      killers.set(keyOf(test), (killers.get(keyOf(test)) ?? 0) + 1);
    }
    report(describeVerdict(verdict));
    verdicts.push(verdict);
  }
  return verdicts;
}

/** @returns null where Postgres refuses the mutant. */
async function huntInCopy(
  mutant: Mutant,
  { world, killers, options: { seconds, isWhole } }: {
    readonly world: World;
    readonly killers: ReadonlyMap<string, number>;
    readonly options: HuntOptions;
  },
): Promise<Verdict | null> {
  const { database, process, coverage, callers, texts } = world;
  await using broken = await database.breakSchema(mutant.text);
  if (broken === null) return null;
  const [, , area = ""] = mutant.file.split("/");
  const reach: Reach = {
    recorded: (test) => coverage.get(test),
    textOf: ({ file }) => texts.get(file) ?? "",
    words: listWords(mutant.before),
    shownBy: callers.shownBy(mutant.routine ?? ""),
    leadingTo: callers.leadingTo(mutant.routine ?? ""),
    subjects: subjectsOfArea[area] ?? [area.replace(/(?:es|s)$/, "")],
    killers,
  };
  return await huntMutant(mutant, {
    tests: orderTests(process.tests, reach),
    secondsOf: (test) => coverage.get(test)?.seconds,
    isReaching: (test) => isReaching(test, reach),
    runBroken: (test, limit) => runAndLearn(world, test, { limit, variables: broken.variables }),
    runOriginal: (test, limit) => runOriginal(world, test, limit),
    ...{ seconds, isWhole },
  });
}

/** Once a run: a test that passed there is not run again. */
async function runOriginal(
  { database, process, sound }: World,
  test: LoadedTest,
  limit: number,
): Promise<TestOutcome> {
  if (sound.has(keyOf(test))) return { seconds: 0, failure: null };
  const outcome = await process.run(test, limit, database.original);
  if (outcome.failure === null) sound.add(keyOf(test));
  return outcome;
}

/** Runs a test, and notes what it calls where that is not known yet. */
async function runAndLearn(
  { database, process, coverage }: World,
  test: LoadedTest,
  { limit, variables }: { readonly limit: number; readonly variables: DatabaseVariables },
): Promise<TestOutcome> {
  if (coverage.get(test) !== undefined) return await process.run(test, limit, variables);
  const before = await database.countCalls(variables);
  const outcome = await process.run(test, limit, variables);
  const after = await database.countCalls(variables);
  const functions = [...after].filter(([name, calls]) => calls > (before.get(name) ?? 0))
    .map(([name]) => name);
  // A test that failed has called only a part.
  if (outcome.failure === null) coverage.note(test, { seconds: outcome.seconds, functions });
  return outcome;
}
