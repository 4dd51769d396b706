/** Below the ports that systems give to connections: 32,768 and up on Linux, 49,152 elsewhere. */
const range = { first: 20_000, count: 12_000 };

/**
 * A port of 127.0.0.1 on which nothing listens, for a server that starts later or again. The system gives
 * it to no one meanwhile, as it may give one that `port: 0` has found.
 */
export function findFreePort(): number {
  for (;;) {
    const port = range.first + Math.floor(Math.random() * range.count);
    try {
      using _listener = Deno.listen({ hostname: "127.0.0.1", port });
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
