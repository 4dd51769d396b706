/** Asserts how the time of a computation grows, on machines that are busy with other work. */

import { assert } from "./assert.ts";

/** Other load only makes a round slower, so the fastest of several rounds is compared. */
const leastRounds = 3;
const mostRounds = 10;

/**
 * Asserts that `work` takes linear time: one text of `factor` times the units takes about as long as `factor`
 * short ones. Quadratic work takes `factor` times as long; the bound is a fifth of that, because caches and
 * garbage collection make a long text some times slower. Both sides take about the same time, so that other
 * load slows both alike. Measures in turn, until the fastest rounds of both say so.
 */
export function assertLinearTime(
  { make, work, units, factor, what }: {
    /** Makes a text of so many units. */
    readonly make: (units: number) => string;
    readonly work: (text: string) => unknown;
    readonly units: number;
    /** 100 or more. */
    readonly factor: number;
    readonly what: string;
  },
): void {
  const [short, long] = [make(units), make(units * factor)];
  let [shortMs, longMs] = [Infinity, Infinity];
  let ratio = Infinity;
  for (let round = 1; round <= mostRounds; round++) {
    shortMs = Math.min(
      shortMs,
      measure(() => {
        for (let run = 0; run < factor; run++) work(short);
      }),
    );
    longMs = Math.min(longMs, measure(() => work(long)));
    ratio = longMs / Math.max(shortMs, leastMs);
    if (round >= leastRounds && ratio < factor / 5) return;
  }
  assert(false, `${what}: the long one took ${Math.round(ratio)} times as long as its parts`);
}

/** Shorter times are the clock's more than the work's. */
const leastMs = 0.5;

function measure(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
