/** One rule broken in one place, to see which tests turn red. */

import { createSeededRandom } from "../support/seeded_random.ts";

export interface Mutant {
  /** The changed file, relative to the repository. */
  readonly file: string;
  /** The line of the change, from 1. */
  readonly line: number;
  /** What was changed, in a few words: `<= became <`. */
  readonly what: string;
  /** The line as it was. */
  readonly before: string;
  /** The line as it is now. */
  readonly after: string;
  /** The whole file with the change. */
  readonly text: string;
  /** The SQL function that holds it, `messaging.next_due_at`; undefined in TypeScript. */
  readonly routine?: string;
}

/** What replaces a part of a text. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly replacement: string;
  readonly what: string;
}

/** A text with one change, as a mutant of its file. */
export function applyChange(file: string, text: string, change: Change): Mutant {
  const changed = text.slice(0, change.from) + change.replacement + text.slice(change.to);
  return {
    file,
    line: text.slice(0, change.from).split("\n").length,
    what: change.what,
    before: readLine(text, change.from),
    after: readLine(changed, change.from),
    text: changed,
  };
}

function readLine(text: string, place: number): string {
  const start = text.lastIndexOf("\n", place - 1) + 1;
  const end = text.indexOf("\n", place);
  return text.slice(start, end < 0 ? undefined : end).trim();
}

/** Chooses at most `limit`, the same for the same seed, in the order of the list. */
export function sampleMutants(
  mutants: readonly Mutant[],
  { limit, seed }: { readonly limit: number; readonly seed: number },
): Mutant[] {
  const random = createSeededRandom(seed);
  const keyed = mutants.map((mutant, place) => ({ mutant, place, key: random.between(0, 1) }));
  return keyed.toSorted((a, b) => a.key - b.key).slice(0, limit)
    .toSorted((a, b) => a.place - b.place).map(({ mutant }) => mutant);
}
