/**
 * The platform dispatches this event on the global object shortly before it ends an isolate
 * (Supabase, "Background Tasks"). The local stack dispatches it when it stops.
 */
export const shutdownEvent = "beforeunload";

/**
 * Calls `listener` when the runtime is about to end this isolate. Without an announcement, as after
 * a crash, it is never called.
 *
 * @returns ends the listening.
 */
export function onShutdown(listener: () => void): () => void {
  globalThis.addEventListener(shutdownEvent, listener);
  return () => globalThis.removeEventListener(shutdownEvent, listener);
}
