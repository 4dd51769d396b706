/** Asserts how the time of a computation grows, on machines that are busy with other work. */

import { assert } from "./assert.ts";

/** Other load only makes a round slower, so the fastest of several rounds is compared. */
const leastRounds = 3;
const mostRounds = 10;

/**
 * Asserts that `long` takes less than `bound` times as long as `short`. Measures in turn, until the
 * fastest rounds of both say so. Choose lengths so far apart that linear and quadratic growth differ by
 * a factor of 50 or more, and a bound between them: caches, garbage collection and other load make a
 * long text several times slower.
 */
export function assertGrowth(
  { short, long, bound, what }: {
    readonly short: () => unknown;
    readonly long: () => unknown;
    readonly bound: number;
    readonly what: string;
  },
): void {
  let [shortMs, longMs] = [Infinity, Infinity];
  let ratio = Infinity;
  for (let round = 1; round <= mostRounds; round++) {
    shortMs = Math.min(shortMs, measure(short));
    longMs = Math.min(longMs, measure(long));
    ratio = longMs / Math.max(shortMs, 0.2);
    if (round >= leastRounds && ratio < bound) return;
  }
  assert(false, `${what}: the longer one took ${Math.round(ratio)} times as long`);
}

function measure(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
