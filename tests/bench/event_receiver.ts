/**
 * A receiver of webhooks. As a program it listens on PORT, so that its load is not in the measuring
 * process.
 */

export interface EventReceiver extends AsyncDisposable {
  readonly url: string;
  /** When each event arrived first, in milliseconds since the epoch, by its id. */
  readonly arrivals: ReadonlyMap<string, number>;
  received(): number;
  clear(): void;
}

interface ReceiverOptions {
  readonly port?: number;
  /** Whether calls get no answer. */
  readonly isSilent?: boolean;
}

/** Listens on 127.0.0.1, and answers at once unless it is silent. */
export function serveEventReceiver(
  { port = 0, isSilent = false }: ReceiverOptions = {},
): EventReceiver & { readonly finished: Promise<void> } {
  const arrivals = new Map<string, number>();
  const isOver = Promise.withResolvers<Response>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port, onListen: () => {} },
    async (request) => {
      const arrivedAtMs = performance.timeOrigin + performance.now();
      const id = request.headers.get("webhook-id");
      await request.text();
      if (id === null) return new Response("ok");
      if (!arrivals.has(id)) arrivals.set(id, arrivedAtMs);
      return isSilent ? await isOver.promise : new Response(null, { status: 204 });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/hook`,
    arrivals,
    received: () => arrivals.size,
    clear: () => arrivals.clear(),
    finished: server.finished,
    [Symbol.asyncDispose]: async () => {
      isOver.resolve(new Response(null, { status: 500 }));
      await server.shutdown();
    },
  };
}

if (import.meta.main) await serveEventReceiver({ port: Number(Deno.env.get("PORT")) }).finished;
