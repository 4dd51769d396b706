import { ApiError, ConnectionError } from "./errors.ts";
import { backOffMs, sleep, waitOf } from "./request.ts";
import type { Groups } from "./methods.ts";
import type { EventFeed, FollowOptions, WebhookEvent } from "./types.ts";

type ReadPage = Groups["events"]["list"];

/**
 * Follows the feed through outages and restarts of the service. The cursor moves when all events of a page
 * were taken, so that a reader who goes on from it may see an event again, and misses none.
 */
export function followEvents(read: ReadPage, options: FollowOptions = {}): EventFeed {
  const { signal, types, limit, waitSeconds = 20, onExpired } = options;
  const hasEnded = (): boolean => signal?.aborted === true;
  const feed = { cursor: options.cursor, [Symbol.asyncIterator]: iterate };
  async function* iterate(): AsyncGenerator<WebhookEvent, void, undefined> {
    for (let failures = 0, pauses = 0; !hasEnded();) {
      try {
        const askedAt = Date.now();
        const query = { after: feed.cursor, types: types?.join(","), limit, waitSeconds };
        // An answer is held that long, and has the time of any other beyond it.
        const timeoutMs = 30_000 + waitSeconds * 1000;
        const page = await read(query as Parameters<ReadPage>[0], { signal, timeoutMs });
        failures = 0;
        yield* page.items as WebhookEvent[];
        feed.cursor = page.nextCursor;
        // A reader whom the service does not hold (too many wait, or it stops) waits here.
        const isEarly = Date.now() - askedAt < Math.max(waitSeconds, 1) * 1000;
        if (page.items.length > 0 || page.hasMore || !isEarly) pauses = 0;
        else await sleep(backOffMs(pauses++), signal).catch(() => {});
      } catch (error) {
        if (hasEnded()) return;
        const oldest = oldestCursorOf(error);
        if (oldest !== undefined && onExpired !== undefined) feed.cursor = await onExpired(oldest);
        else if (!passes(error)) throw error;
        else await sleep(waitOf(error, failures++), signal).catch(() => {});
      }
    }
  }
  return feed;
}

function oldestCursorOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.code !== "cursor_expired") return undefined;
  return String(error.body["oldestCursor"] ?? "oldest");
}

/** Whether waiting helps: the service is away, or asks for patience. */
function passes(error: unknown): boolean {
  return error instanceof ConnectionError ||
    (error instanceof ApiError && (error.status === 429 || error.status >= 500));
}
