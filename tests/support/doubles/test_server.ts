/** HTTP servers of tests. */

export interface TestServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly port: number;
}

/**
 * Starts a server on this machine, on a free port unless one is named. Disposing it waits for the answers
 * under way, and closes all connections. `shutdown` would wait forever for one that a client keeps
 * after some of its calls were aborted.
 */
export function startTestServer(
  handler: (request: Request) => Response | Promise<Response>,
  { port = 0, onError }: Pick<Deno.ServeTcpOptions, "port" | "onError"> = {},
): TestServer {
  const closing = new AbortController();
  const answering = new Set<Promise<Response>>();
  const server = Deno.serve({
    ...{ hostname: "127.0.0.1", port, signal: closing.signal, onListen: () => {} },
    ...(onError === undefined ? {} : { onError }),
  }, async (request) => {
    const answer = Promise.resolve(handler(request));
    answering.add(answer);
    return await answer.finally(() => answering.delete(answer));
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    port: server.addr.port,
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled(answering);
      closing.abort();
      await server.finished;
    },
  };
}
