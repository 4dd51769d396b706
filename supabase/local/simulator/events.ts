import type { Store } from "./store.ts";

const heartbeatMs = 15_000;
const backlogCapacity = 1_000;

/**
 * Streams every change of the store as server-sent events: `added` with `{kind, record}`, `cleared`
 * with `{kind}` and `faults_changed`. The stream ends when the client disconnects, falls more than
 * 1,000 events behind, or the stack stops. A browser then reconnects and loads what it missed.
 */
export function streamEvents(store: Store, closing: AbortSignal): Response {
  let stop = (): void => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller): void {
      const encoder = new TextEncoder();
      const end = (): void => {
        stop();
        controller.close();
      };
      const write = (text: string): void => {
        if ((controller.desiredSize ?? 0) <= 0) return end();
        controller.enqueue(encoder.encode(text));
      };
      const unsubscribe = store.subscribe(({ type, ...data }) => {
        write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
      });
      const heartbeat = setInterval(() => write(": still here\n\n"), heartbeatMs);
      stop = (): void => {
        clearInterval(heartbeat);
        unsubscribe();
        closing.removeEventListener("abort", end);
      };
      write("retry: 1000\n\n");
      if (closing.aborted) end();
      else closing.addEventListener("abort", end);
    },
    cancel(): void {
      stop();
    },
  }, new CountQueuingStrategy({ highWaterMark: backlogCapacity }));
  return new Response(stream, {
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" },
  });
}
