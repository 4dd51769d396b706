import type { Database } from "../../shared/database/database.ts";
import type { FeedQuery } from "../../shared/database/rpcs/events.ts";
import { AppError } from "../../shared/model/errors.ts";
import {
  type LookBounds,
  LookPace,
  onEventsAnnounced,
} from "../../shared/runtime/event_announcement.ts";
import { onShutdown } from "../../shared/runtime/shutdown.ts";
import { type FeedResponse, wrongCursor } from "./contract.ts";

/** Pauses between two looks at the database while a reader waits. A look costs one short query. */
const lookBounds: LookBounds = { leastMs: 10, mostMs: 250 };

export interface FeedRequest {
  readonly query: FeedQuery;
  /** How long to wait for an event where there is none. */
  readonly waitMs: number;
  /** Ends the waiting: nobody takes the answer. */
  readonly signal: AbortSignal;
}

type Page = Omit<FeedResponse, "success">;

/**
 * Returns the events after the cursor. Waits for the first one, if asked to, without holding a
 * connection to the database. Answers with an empty page when the time is over, the client has
 * gone or the runtime is about to end.
 *
 * @throws {AppError} `invalid_request` for what is no cursor of this instance; `cursor_expired`.
 */
export async function readFeed(
  database: Database,
  { query, waitMs, signal }: FeedRequest,
  bounds: LookBounds = lookBounds,
): Promise<Page> {
  const deadline = performance.now() + waitMs;
  const isWaiting = waitMs > 0;
  const ending = new AbortController();
  const stop = (): void => ending.abort();
  signal.addEventListener("abort", stop);
  const pace = new LookPace(bounds);
  let announced = Promise.withResolvers<void>();
  const endings = [onShutdown(stop), onEventsAnnounced(() => announced.resolve())];
  try {
    let page = await readPage(database, { ...query, isWaiting });
    while (
      page.items.length === 0 && !ending.signal.aborted && performance.now() < deadline
    ) {
      if (!page.hasMore) {
        const leftMs = deadline - performance.now();
        await sleep(Math.min(pace.leastMs, leftMs), ending.signal);
        await sleep(
          Math.min(bounds.mostMs - pace.leastMs, leftMs - pace.leastMs),
          ending.signal,
          announced.promise,
        );
        pace.note(false);
      }
      // Before the look: what is announced from now on, the look may have missed.
      announced = Promise.withResolvers();
      page = await readPage(database, { ...query, isWaiting, after: page.nextCursor });
    }
    return page;
  } finally {
    signal.removeEventListener("abort", stop);
    for (const end of endings) end();
  }
}

async function readPage(database: Database, query: FeedQuery): Promise<Page> {
  const page = await database.rpc("read_events", query);
  if (page.state === "ok") {
    const { items, nextCursor, hasMore } = page;
    return { items, nextCursor, hasMore };
  }
  if (page.state === "expired") {
    throw new AppError("cursor_expired", { body: { oldestCursor: page.oldestCursor } });
  }
  throw new AppError("invalid_request", {
    issues: [{ path: "after", message: wrongCursor }],
  });
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
