import type { Database } from "../../shared/database/database.ts";
import { answerJson } from "../../shared/http/answer.ts";
import type { ClientRoute } from "../../shared/http/client_routes.ts";
import { type ClientContext, requireInstance } from "../../shared/http/client_token_guard.ts";
import { validate } from "../../shared/http/validate.ts";
import { presentEvent } from "../../shared/events/event_body.ts";
import type { MediaLinks } from "../../shared/media/links.ts";
import { feedResponseSchema, readFeedSchema } from "./contract.ts";
import { readFeed } from "./feed.ts";
import { WaitingReaders } from "../../shared/http/waiting_readers.ts";

export interface FeedServices {
  readonly database: Database;
  readonly links: MediaLinks;
}

/** The operation of the feed. Its readers that wait for events are those of one app. */
export function createFeedOperations(): ClientRoute<FeedServices>[] {
  const waiting = new WaitingReaders();
  const getEvents = async (services: FeedServices, context: ClientContext): Promise<Response> => {
    const { after, types, limit, waitSeconds } = validate(readFeedSchema, context.req.query());
    const { instanceId } = requireInstance(context);
    const page = await waiting.read(
      {
        tokenId: context.get("tokenId"),
        waitMs: waitSeconds * 1_000,
      },
      (waitMs) =>
        readFeed(services.database, {
          query: { instanceId, after: after ?? null, types: types ?? null, limit },
          waitMs,
          signal: context.req.raw.signal,
        }),
      ({ items, hasMore }) => items.length === 0 && !hasMore,
    );
    const items = page.items.map((event) => presentEvent(event, services.links));
    return answerJson(context, feedResponseSchema, { success: true, ...page, items });
  };
  return [{ method: "GET", path: "/events", query: readFeedSchema, handle: getEvents }];
}
