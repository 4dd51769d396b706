import { ApiError } from "./errors.ts";
import type { Groups } from "./methods.ts";
import { backOffMs, sleep } from "./request.ts";
import type { Answer, CallOptions, EventFeed, FollowOptions, WebhookEvent } from "./types.ts";

type EventPage = Answer<"listEvents">;
type Question = Answer<"getQuestion">;

/** Waits until a question is `answered`, `expired` or `canceled`. @throws the signal's reason: an hour by default. */
export type QuestionWait = (id: string, options?: Pick<CallOptions, "signal">) => Promise<Question>;

/**
 * Follows the feed through outages and restarts of the service. The cursor moves when all events of a page
 * were taken, so that a reader who goes on from it may see an event again, and misses none.
 */
export function followEvents(
  list: Groups["events"]["list"],
  { cursor, signal, types, limit, waitSeconds = 20, onExpired }: FollowOptions = {},
): EventFeed {
  const feed = { cursor, [Symbol.asyncIterator]: iterate };
  const read = async (way: CallOptions): Promise<EventPage> => {
    const query = { after: feed.cursor, types: types?.join(","), limit, waitSeconds };
    try {
      return await list(query as Parameters<typeof list>[0], way);
    } catch (error) {
      const isExpired = error instanceof ApiError && error.code === "cursor_expired";
      if (!isExpired || onExpired === undefined) throw error;
      const nextCursor = await onExpired(String(error.body["oldestCursor"] ?? "oldest"));
      return { success: true, items: [], hasMore: true, nextCursor };
    }
  };
  async function* iterate(): AsyncGenerator<WebhookEvent, void, undefined> {
    const hasNews = ({ items, hasMore }: EventPage): boolean => items.length > 0 || hasMore;
    for await (const page of poll(read, hasNews, waitSeconds, signal)) {
      yield* page.items as WebhookEvent[];
      feed.cursor = page.nextCursor;
    }
  }
  return feed;
}

/** Creates the method that waits for the end of a question, through outages and restarts of the service. */
export function createQuestionWait(get: Groups["questions"]["get"]): QuestionWait {
  return async (id, { signal = AbortSignal.timeout(3_600_000) } = {}) => {
    const hasEnded = ({ status }: Question): boolean => status !== "waiting" && status !== "open";
    const read = (way: CallOptions): Promise<Question> => get(id, { waitSeconds: 20 }, way);
    for await (const question of poll(read, hasEnded, 20, signal)) {
      if (hasEnded(question)) return question;
    }
    throw signal.reason;
  };
}

/**
 * Repeats a call that the service holds for up to `waitSeconds`, until the signal. `mayContinueAtOnce`: whether
 * the next call follows this result without a pause.
 */
async function* poll<Result>(
  read: (options: CallOptions) => Promise<Result>,
  mayContinueAtOnce: (result: Result) => boolean,
  waitSeconds: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Result, void, undefined> {
  // An answer is held that long, and has the time of any other beyond it.
  const options = { signal, timeoutMs: 30_000 + waitSeconds * 1000, maxRetries: Infinity };
  try {
    for (let pauses = 0;;) {
      const askedAt = Date.now();
      const result = await read(options);
      yield result;
      // A reader whom the service does not hold (too many wait, or it stops) waits here.
      const isEarly = Date.now() - askedAt < Math.max(waitSeconds, 1) * 1000;
      if (mayContinueAtOnce(result) || !isEarly) pauses = 0;
      else await sleep(backOffMs(pauses++), signal);
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}
