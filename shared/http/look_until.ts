import { type LookBounds, LookPace, onEventsAnnounced } from "../runtime/event_announcement.ts";
import { onShutdown } from "../runtime/shutdown.ts";

/** What a reader waits for. */
export interface LookTarget<Seen> {
  /** Looks once; `before` is what the look before has seen. */
  readonly look: (before?: Seen) => Promise<Seen>;
  readonly isFound: (seen: Seen) => boolean;
  /** Whether to look again at once: there is more to see already. Default: never. */
  readonly hasMore?: (seen: Seen) => boolean;
}

/** How long a reader waits. */
export interface WaitLimits {
  /** 0 for one look. */
  readonly waitMs: number;
  /** Ends the waiting: nobody takes the answer. */
  readonly signal: AbortSignal;
  readonly bounds: LookBounds;
}

/**
 * Looks at the database until what is awaited is there, without holding a connection to it meanwhile.
 * Returns what was seen last when the time is over, the client has gone or the runtime is about to end.
 */
export async function lookUntil<Seen>(
  { look, isFound, hasMore = () => false }: LookTarget<Seen>,
  { waitMs, signal, bounds }: WaitLimits,
): Promise<Seen> {
  const deadline = performance.now() + waitMs;
  const ending = new AbortController();
  const stop = (): void => ending.abort();
  signal.addEventListener("abort", stop);
  const pace = new LookPace(bounds);
  let announced = Promise.withResolvers<void>();
  let isAnnounced = false;
  const endings = [
    onShutdown(stop),
    onEventsAnnounced(() => {
      isAnnounced = true;
      announced.resolve();
    }),
  ];
  try {
    let seen = await look();
    while (!isFound(seen) && !ending.signal.aborted && performance.now() < deadline) {
      if (!hasMore(seen)) {
        const leftMs = deadline - performance.now();
        await sleep(Math.min(pace.leastMs, leftMs), ending.signal);
        await sleep(
          Math.min(bounds.mostMs - pace.leastMs, leftMs - pace.leastMs),
          ending.signal,
          announced.promise,
        );
        // A wait that nothing ended says nothing of the announcements: the next one is still heard at once.
        if (isAnnounced) pace.note(false);
      }
      // Before the look: what is announced from now on, the look may have missed.
      announced = Promise.withResolvers();
      isAnnounced = false;
      seen = await look(seen);
    }
    return seen;
  } finally {
    signal.removeEventListener("abort", stop);
    for (const end of endings) end();
  }
}

/** Resolves early when the signal aborts or `event` happens. */
async function sleep(
  durationMs: number,
  signal: AbortSignal,
  event?: Promise<void>,
): Promise<void> {
  if (signal.aborted || durationMs <= 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  const timer = setTimeout(wake, durationMs);
  signal.addEventListener("abort", wake);
  event?.then(wake);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", wake);
}
