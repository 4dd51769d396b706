/** What comes within `timeoutMs`; null for what does not. What it comes of goes on. */
export async function inTime<Value>(
  coming: Value | Promise<Value>,
  timeoutMs: number,
): Promise<Value | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), timeoutMs);
  try {
    return await Promise.race([coming, late]);
  } finally {
    clearTimeout(timer);
  }
}
