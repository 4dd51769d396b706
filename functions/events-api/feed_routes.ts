import type { MiddlewareHandler } from "hono";
import type { Database } from "../../shared/database/database.ts";
import { answerJson } from "../../shared/http/answer.ts";
import {
  type ClientContext,
  type ClientVariables,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import type { Route } from "../../shared/http/create_app.ts";
import { validate } from "../../shared/http/validate.ts";
import { linkEventData, type MediaLinks } from "../../shared/media/links.ts";
import { type FeedResponse, readFeedSchema } from "./contract.ts";
import { readFeed } from "./feed.ts";

export interface FeedServices {
  readonly database: Database;
  readonly links: MediaLinks;
}

/** The routes of the feed. `guard` authenticates the client. */
export function createFeedRoutes(
  services: FeedServices,
  guard: MiddlewareHandler<{ Variables: ClientVariables }>,
): Route[] {
  const getEvents = async (context: ClientContext): Promise<Response> => {
    const { after, types, limit, waitSeconds } = validate(readFeedSchema, context.req.query());
    const { instanceId } = requireInstance(context);
    const page = await readFeed(services.database, {
      query: { instanceId, after: after ?? null, types: types ?? null, limit },
      waitMs: waitSeconds * 1_000,
      signal: context.req.raw.signal,
    });
    const items = page.items.map((event) => ({
      ...event,
      data: linkEventData(event.data, services.links),
    }));
    return answerJson<FeedResponse>(context, { success: true, ...page, items });
  };
  return [{ method: "GET", path: "/events", handlers: [guard, getEvents] }];
}
