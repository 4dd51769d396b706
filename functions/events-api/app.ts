import type { Hono } from "hono";
import type { Database } from "../../shared/database/database.ts";
import { createApp } from "../../shared/http/create_app.ts";
import { createClientTokenGuard } from "../../shared/http/client_token_guard.ts";
import type { Log } from "../../shared/runtime/log.ts";
import { createFeedRoutes } from "./feed_routes.ts";

export interface EventsApiServices {
  readonly database: Database;
  readonly log: Log;
}

/** /functions/v1/events-api: what became true of an instance, as a feed. */
export function createEventsApiApp(services: EventsApiServices): Hono {
  const guard = createClientTokenGuard(services.database);
  return createApp({
    slug: "events-api",
    log: services.log,
    routes: createFeedRoutes(services, guard),
  });
}
