import type { Hono } from "hono";
import { answerJson } from "../../shared/http/answer.ts";
import { createApp, type Route } from "../../shared/http/create_app.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { createSecretKeyGuard } from "../../shared/http/secret_key_guard.ts";
import { executeRepeatable } from "../../shared/idempotency/repeatable_call.ts";
import type { Log } from "../../shared/runtime/log.ts";
import { createAdminRoutes } from "./admin_operations.ts";
import { createConnectionLinkRoutes } from "./connection_link_routes.ts";
import type { ConnectionLinkServices } from "./connection_links.ts";
import { createConnectionRoutes } from "./connection_routes.ts";
import { readAdminIdempotency } from "./http_exchange.ts";
import { createInstanceRoutes } from "./instance_routes.ts";
import { createOutboxRoutes } from "./outbox_routes.ts";
import { queueOperations } from "./queue_routes.ts";
import { createRateRoutes } from "./rate_routes.ts";
import { resealCredentials } from "./reseal_credentials.ts";
import { resources } from "./resources.ts";
import { resealResponseSchema } from "./resources/reseal.ts";
import { serviceHealthResponseSchema } from "./service_health.ts";
import { templateOperations } from "./template_routes.ts";
import { createTemplateSyncRoutes } from "./template_sync_routes.ts";
import type { TemplateServices } from "./submit_template.ts";
import { createUsageRoutes } from "./usage_routes.ts";
import { createTokenRoutes } from "./token_routes.ts";

export interface AdminServices extends TemplateServices, ConnectionLinkServices {
  readonly secretKeys: Readonly<Record<string, string>>;
  readonly log: Log;
}

/** /functions/v1/admin-api: tenants and their records. Requires the project's secret key. */
export function createAdminApp(services: AdminServices): Hono {
  const guard = createSecretKeyGuard(services.secretKeys);
  const routes = [
    ...resources.flatMap((resource) => resource.createRoutes(services.database)),
    ...createInstanceRoutes(services),
    ...createConnectionRoutes(services),
    ...createConnectionLinkRoutes(services),
    ...createTokenRoutes(services),
    ...createAdminRoutes(services, templateOperations),
    ...createTemplateSyncRoutes(services),
    ...createOutboxRoutes(services.database),
    ...createAdminRoutes(services, queueOperations),
    ...createRateRoutes(services.database),
    ...createUsageRoutes(services),
    {
      method: "POST",
      path: "/credentials/reseal",
      handlers: [
        async (context): Promise<Response> => {
          const resealed = await executeRepeatable({
            database: services.database,
            idempotency: await readAdminIdempotency(context, {}),
            execute: () => resealCredentials(services),
          });
          return answerRecorded(context, resealResponseSchema, resealed);
        },
      ],
    } satisfies Route,
    {
      method: "GET",
      path: "/health",
      handlers: [
        async (context): Promise<Response> =>
          answerJson(context, serviceHealthResponseSchema, {
            success: true,
            ...await services.database.rpc("get_service_health", {}),
          }),
      ],
    } satisfies Route,
  ];
  return createApp({
    slug: "admin-api",
    log: services.log,
    database: services.database,
    routes: routes.map((route) => ({ ...route, handlers: [guard, ...route.handlers] as const })),
  });
}
