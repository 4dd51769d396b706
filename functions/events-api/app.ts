import type { Hono } from "hono";
import { createClientRoutes } from "../../shared/http/client_routes.ts";
import { createApp } from "../../shared/http/create_app.ts";
import type { Log } from "../../shared/runtime/log.ts";
import { deliveryOperations } from "./delivery_routes.ts";
import { endpointOperations, type EndpointServices } from "./endpoint_routes.ts";
import { createFeedOperations, type FeedServices } from "./feed_routes.ts";

export type EventsApiServices = EndpointServices & FeedServices & { readonly log: Log };

/** /functions/v1/events-api: what became true of an instance, as a feed and as webhooks. */
export function createEventsApiApp(services: EventsApiServices): Hono {
  return createApp({
    slug: "events-api",
    log: services.log,
    database: services.database,
    routes: createClientRoutes(services, [
      ...createFeedOperations(),
      ...endpointOperations,
      ...deliveryOperations,
    ]),
  });
}
