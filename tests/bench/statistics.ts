/** Summary of a series of measurements. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Median, minimum and maximum of at least one value. */
export function spreadOf(values: readonly number[]): Spread {
  return {
    median: percentile(values, 50),
    min: Math.min(...values),
    max: Math.max(...values),
  };
}

/**
 * Percentile with linear interpolation.
 *
 * @throws {Error} without values.
 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * percent / 100;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new Error("nothing was measured");
  return below + (above - below) * (place - Math.floor(place));
}

/** Ratios of two series, round by round. Noise of the machine affects both sides and cancels out. */
export function quotients(over: readonly number[], under: readonly number[]): number[] {
  if (over.length !== under.length) throw new Error("the sides had different numbers of rounds");
  return over.map((value, round) => value / (under[round] ?? Number.NaN));
}
