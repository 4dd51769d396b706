/** Repeatable random choices: the same seed gives the same numbers. */

export interface SeededRandom {
  readonly seed: number;
  /** At least `from`, below `to`. */
  between(from: number, to: number): number;
}

/** Creates a generator. Without a seed it draws a new one for each run. */
export function createSeededRandom(seed = Math.floor(Math.random() * 2 ** 31)): SeededRandom {
  let state = seed | 0;
  // Mulberry32. 32 bits of state are enough to choose moments.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { seed, between: (from, to) => from + next() * (to - from) };
}
