/** Resolves to null on time-out. The work itself is not canceled. */
export async function withTimeout<Value>(
  work: Value | Promise<Value>,
  timeoutMs: number,
): Promise<Value | null> {
  const { promise: timedOut, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), timeoutMs);
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
