import type { Hono } from "hono";
import { createApp } from "../../shared/http/create_app.ts";
import { createClientTokenGuard } from "../../shared/http/client_token_guard.ts";
import type { Log } from "../../shared/runtime/log.ts";
import { createDeliveryRoutes } from "./delivery_routes.ts";
import {
  type ClientGuards,
  createEndpointRoutes,
  type EndpointServices,
} from "./endpoint_routes.ts";
import { createFeedRoutes, type FeedServices } from "./feed_routes.ts";

export type EventsApiServices = EndpointServices & FeedServices & { readonly log: Log };

/** /functions/v1/events-api: what became true of an instance, as a feed and as webhooks. */
export function createEventsApiApp(services: EventsApiServices): Hono {
  const { database, log } = services;
  const guards: ClientGuards = {
    required: createClientTokenGuard(database),
    optional: createClientTokenGuard(database, { hasBody: "optional" }),
  };
  return createApp({
    slug: "events-api",
    log,
    routes: [
      ...createFeedRoutes(services, guards.required),
      ...createEndpointRoutes(services, guards),
      ...createDeliveryRoutes(services, guards),
    ],
  });
}
