/** How long to wait for a condition, and how often to look. */
export interface WaitOptions {
  /** Give up after this many milliseconds. Default 60,000: only a failing test waits that long. */
  readonly timeoutMs?: number;
  /** Milliseconds between two polls. Default 20, and a fiftieth of a long wait: a poll may cost a request. */
  readonly intervalMs?: number;
  /** What the test waits for; shown in the error. */
  readonly what?: string;
}

/**
 * Polls a condition until it returns a truthy value, and returns that value. Polls at least once, and
 * once more after the deadline, so that a slow machine does not fail a fulfilled condition.
 *
 * @throws {Error} when the deadline passes first. An error of the last poll is its cause.
 */
export async function waitUntil<T>(
  look: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<NonNullable<Exclude<T, false | 0 | "">>> {
  const { timeoutMs = 60_000, what = "the condition" } = options;
  const startedAt = performance.now();
  const deadline = startedAt + timeoutMs;
  for (;;) {
    const late = performance.now() >= deadline;
    let cause: unknown;
    try {
      const seen = await look();
      if (seen) return seen as NonNullable<Exclude<T, false | 0 | "">>;
    } catch (error) {
      cause = error;
    }
    if (late) {
      throw new Error(`${what} did not come true within ${timeoutMs} ms`, { cause });
    }
    const pauseMs = options.intervalMs ?? Math.max(20, (performance.now() - startedAt) / 50);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
