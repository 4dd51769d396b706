/** How long to wait for a condition, and how often to look. */
export interface WaitOptions {
  /** Give up after this many milliseconds. Default 60,000: only a failing test waits that long. */
  readonly timeoutMs?: number;
  /** Milliseconds between two polls. Default 20. */
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
  const { timeoutMs = 60_000, intervalMs = 20, what = "the condition" } = options;
  const deadline = performance.now() + timeoutMs;
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
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}
