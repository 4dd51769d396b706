/** Runs tests on a mutant until one is red. */

import type { Mutant } from "./mutant.ts";
import type { TestOutcome } from "./test_process.ts";
import type { LoadedTest } from "./test_worker.ts";

/** How mutants are hunted. */
export interface HuntOptions {
  readonly root: string;
  readonly seconds: number;
  readonly isWhole: boolean;
  /** What the path of a test file must have in it. */
  readonly tests: string;
  /** Ends the hunt after the present mutant. */
  readonly signal: AbortSignal;
  /** Is told each verdict as it comes, and what else happens. */
  readonly report: (line: string) => void;
}

/** What became of a mutant. */
export interface Verdict {
  readonly mutant: Mutant;
  /** The tests that were red, as they came. */
  readonly killers: readonly { readonly test: LoadedTest; readonly failure: string }[];
  /** How many tests that reach it were run. */
  readonly ran: number;
  /** How many were left when the time for it was over. */
  readonly left: number;
}

export interface Hunt {
  /** The tests that reach it, those first that may find it soonest. */
  readonly tests: readonly LoadedTest[];
  /** How long a test took when it ran last; undefined for one that has not run. */
  readonly secondsOf: (test: LoadedTest) => number | undefined;
  /** Whether a test that has run reaches what is broken. */
  readonly isReaching: (test: LoadedTest) => boolean;
  readonly runBroken: (test: LoadedTest, limitSeconds: number) => Promise<TestOutcome>;
  /** The same where nothing is broken: a test that is red there says nothing. */
  readonly runOriginal: (test: LoadedTest, limitSeconds: number) => Promise<TestOutcome>;
  /** How long may be spent on one mutant. */
  readonly seconds: number;
  /** Whether all tests are run, also after one was red. */
  readonly isWhole: boolean;
}

/** A machine may be busier than when the test was recorded. */
function limitOf(seconds = 10): number {
  return 20 + 10 * seconds;
}

/** Hunts one mutant. */
export async function huntMutant(mutant: Mutant, hunt: Hunt): Promise<Verdict> {
  const started = performance.now();
  const killers: { test: LoadedTest; failure: string }[] = [];
  let ran = 0;
  let left = hunt.tests.length;
  for (const test of hunt.tests) {
    if (performance.now() - started > hunt.seconds * 1_000) break;
    left--;
    const limit = limitOf(hunt.secondsOf(test));
    const { failure } = await hunt.runBroken(test, limit);
    if (failure === null) {
      if (hunt.isReaching(test)) ran++;
      continue;
    }
    ran++;
    if ((await hunt.runOriginal(test, limit)).failure !== null) continue;
    killers.push({ test, failure });
    if (!hunt.isWhole) break;
  }
  return { mutant, killers, ran, left };
}

/** A line of the report. */
export function describeVerdict({ mutant, killers, ran, left }: Verdict): string {
  const { file, line, what, before, after } = mutant;
  const where = `${file}:${line}  ${what}\n          - ${before}\n          + ${after}`;
  const [first] = killers;
  if (first === undefined) {
    return `SURVIVED  ${where}\n          ${ran} tests that reach it were run, ${left} others were not`;
  }
  const names = killers.map(({ test }) => `${test.file}  ${test.name}`).join("\n            and ");
  return `killed    ${where}\n          by ${names}`;
}
