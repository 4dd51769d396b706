/**
 * A double of Z-API that responds immediately, or after a delay. As a program it listens on PORT and takes
 * the delay from DELAY_MS, so that its load is not in the measuring process. The calls of the instance that
 * HANGING names are never answered.
 */

/** One call of a text message. */
export interface ProviderCall {
  readonly message: string;
  /** The provider's id of the message, as the answer gives it. */
  readonly messageId: string;
  /** Milliseconds since the epoch, with fractions. */
  readonly arrivedAtMs: number;
}

/** Listens on 127.0.0.1 and calls `onCall` for each message. */
export function serveProviderDouble(
  port: number,
  onCall: (call: ProviderCall) => void = () => {},
  delayMs = 0,
  hangingInstance?: string,
): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, async (request) => {
    const arrivedAtMs = performance.timeOrigin + performance.now();
    if (request.method === "GET") return new Response("ok");
    if (hangingInstance !== undefined && request.url.includes(`/instances/${hangingInstance}/`)) {
      return await new Promise<never>(() => {});
    }
    const { message } = await request.json();
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const messageId = crypto.randomUUID();
    onCall({ message, messageId, arrivedAtMs });
    return Response.json({ zaapId: crypto.randomUUID(), messageId, id: messageId });
  });
}

if (import.meta.main) {
  const [port, delayMs] = [Deno.env.get("PORT"), Deno.env.get("DELAY_MS") ?? "0"].map(Number);
  await serveProviderDouble(port ?? 0, () => {}, delayMs, Deno.env.get("HANGING")).finished;
}
