import type { Database } from "../../shared/database/database.ts";
import type { FeedQuery } from "../../shared/database/rpcs/events.ts";
import { AppError } from "../../shared/model/errors.ts";
import { lookUntil } from "../../shared/http/look_until.ts";
import type { LookBounds } from "../../shared/runtime/event_announcement.ts";
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
  const isWaiting = waitMs > 0;
  return await lookUntil<Page>({
    look: (before) =>
      readPage(database, {
        ...query,
        isWaiting,
        ...(before === undefined ? {} : { after: before.nextCursor }),
      }),
    isFound: ({ items }) => items.length > 0,
    hasMore: ({ hasMore }) => hasMore,
  }, { waitMs, signal, bounds });
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
