/** How long to wait for a condition, and how often to look. */
export interface WaitOptions {
  /** Give up after this many milliseconds. Default 5000. */
  readonly timeoutMs?: number;
  /** Milliseconds between two looks. Default 20. */
  readonly intervalMs?: number;
  /** What is waited for, in the words of the failure. */
  readonly what?: string;
}

/**
 * Looks at a condition until it yields something truthy, and returns that. Looks at least once, and
 * once more after the deadline, so a slow machine does not fail a condition that has come true.
 *
 * @throws {Error} when the deadline passes first; an error of the last look is its cause.
 */
export async function waitUntil<T>(
  look: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<NonNullable<Exclude<T, false | 0 | "">>> {
  const { timeoutMs = 5_000, intervalMs = 20, what = "the condition" } = options;
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
