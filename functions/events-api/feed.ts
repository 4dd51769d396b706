import type { Database } from "../../shared/database/database.ts";
import type { FeedQuery } from "../../shared/database/rpcs/events.ts";
import { AppError } from "../../shared/model/errors.ts";
import { onShutdown } from "../../shared/runtime/shutdown.ts";
import { type FeedResponse, wrongCursor } from "./contract.ts";

/** Pause between two looks at the database while a reader waits. A look costs one short query. */
const pollMs = 250;

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
): Promise<Page> {
  const deadline = performance.now() + waitMs;
  const ending = new AbortController();
  const stop = (): void => ending.abort();
  signal.addEventListener("abort", stop);
  const endListening = onShutdown(stop);
  try {
    let page = await readPage(database, query);
    while (
      page.items.length === 0 && !ending.signal.aborted && performance.now() < deadline
    ) {
      if (!page.hasMore) {
        await sleep(Math.min(pollMs, deadline - performance.now()), ending.signal);
      }
      page = await readPage(database, { ...query, after: page.nextCursor });
    }
    return page;
  } finally {
    signal.removeEventListener("abort", stop);
    endListening();
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

/** Resolves early when the signal aborts. */
async function sleep(durationMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  const timer = setTimeout(wake, durationMs);
  signal.addEventListener("abort", wake);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", wake);
}
