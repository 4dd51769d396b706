/** Which tests are run on a mutant, and in which order. */

import { keyOf, type RecordedTest } from "./coverage.ts";
import type { LoadedTest } from "./test_worker.ts";

/** What is known of a mutant of a SQL function, and of tests. */
export interface Reach {
  readonly recorded: (test: LoadedTest) => RecordedTest | undefined;
  /** The text of a test's file. */
  readonly textOf: (test: LoadedTest) => string;
  /** The functions whose calls show that a test reaches the mutant. */
  readonly shownBy: ReadonlySet<string>;
  /** Every function that leads to it. */
  readonly leadingTo: ReadonlySet<string>;
  /** Words of the line that was broken. */
  readonly words: readonly string[];
  /** Names of its subject, as they stand in the paths of tests. */
  readonly subjects: readonly string[];
  /** How many mutants of the same file each test has killed. */
  readonly killers: ReadonlyMap<string, number>;
}

/** Whether a test is known to call what was broken. */
export function isReaching(test: LoadedTest, { recorded, shownBy }: Reach): boolean {
  return recorded(test)?.functions.some((name) => shownBy.has(name)) === true;
}

/**
 * Leaves out the tests that are known not to reach the mutant. First come tests that have killed a mutant of the same file, then those that call few other functions, are
 * short, or name the function.
 */
export function orderTests(tests: readonly LoadedTest[], reach: Reach): LoadedTest[] {
  const rarity = weighWords(tests, reach.words);
  const ranked = tests.flatMap((test) => {
    const rank = rankTest(test, reach, rarity);
    return rank === null ? [] : [{ test, rank }];
  });
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ test }) => test);
}

/** Of a test that has not run yet and has no word of the mutant: it comes last. */
const leastLikelihood = 0.1;

/** The smaller, the sooner: about the seconds that it takes by how many rules it may be red for. */
function rankTest(
  test: LoadedTest,
  reach: Reach,
  rarity: ReadonlyMap<string, number>,
): number | null {
  const known = reach.recorded(test);
  if (known !== undefined) {
    if (!isReaching(test, reach)) return null;
    const kills = reach.killers.get(keyOf(test)) ?? 0;
    const chance = 1 + 20 * kills + sumWords(test, rarity);
    return known.seconds * known.functions.length / chance;
  }
  const likelihood = guessReach(test, reach) + sumWords(test, rarity);
  return 200 / (leastLikelihood + likelihood);
}

/** How likely a test that has not run yet reaches the mutant, from 0. */
function guessReach(test: LoadedTest, { textOf, leadingTo, subjects }: Reach): number {
  const text = textOf(test);
  const shortNames = [...leadingTo].map((name) => name.split(".")[1] ?? name);
  const [own = "", ...others] = shortNames;
  return (text.includes(own) ? 8 : 0) +
    (subjects.some((subject) => test.file.includes(subject)) ? 3 : 0) +
    (others.some((name) => text.includes(name)) ? 1 : 0);
}

/** Words of the broken line that few tests have say the most: up to 10, for a test that alone has it. */
function weighWords(
  tests: readonly LoadedTest[],
  words: readonly string[],
): ReadonlyMap<string, number> {
  return new Map([...new Set(words)].map((word) => {
    const uses = tests.filter(({ source }) => source.includes(word)).length;
    return [word, uses === 0 ? 0 : 10 / Math.sqrt(uses)];
  }));
}

function sumWords({ source }: LoadedTest, rarity: ReadonlyMap<string, number>): number {
  return [...rarity].reduce(
    (sum, [word, weight]) => source.includes(word) ? sum + weight : sum,
    0,
  );
}

/** The words of a line of SQL that a test may have, as they stand and as the API names them. */
export function listWords(line: string): string[] {
  const words = line.match(/[a-z][A-Za-z_]{4,}/g) ?? [];
  return words.flatMap((word) => [
    word,
    word.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  ]);
}
