/**
 * A Z-API that answers at once. As a program it listens on PORT: load on it then falls on another
 * process than the one that measures.
 */

/** One call of a text message. */
export interface ProviderCall {
  readonly message: string;
  /** Milliseconds since the epoch, in fractions. */
  readonly arrivedAtMs: number;
}

/** Listens on 127.0.0.1; `onCall` hears of each message. */
export function serveProviderDouble(
  port: number,
  onCall: (call: ProviderCall) => void = () => {},
): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, async (request) => {
    const arrivedAtMs = performance.timeOrigin + performance.now();
    if (request.method === "GET") return new Response("ok");
    const { message } = await request.json();
    onCall({ message, arrivedAtMs });
    const messageId = crypto.randomUUID();
    return Response.json({ zaapId: crypto.randomUUID(), messageId, id: messageId });
  });
}

if (import.meta.main) await serveProviderDouble(Number(Deno.env.get("PORT"))).finished;
