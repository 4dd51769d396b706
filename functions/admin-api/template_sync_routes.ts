import type { Route } from "../../shared/http/create_app.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { type AdminContext, readAdminIdempotency } from "./http_exchange.ts";
import { requireInstanceId } from "./instance_reference.ts";
import { syncTemplatesResponseSchema } from "./resources/template_sync.ts";
import { syncTemplates, type TemplateSyncServices } from "./template_sync.ts";

/** POST /instances/:id/templates/sync: reads the official channel's templates from its provider. */
export function createTemplateSyncRoutes(services: TemplateSyncServices): Route[] {
  const sync = async (context: AdminContext): Promise<Response> => {
    const instanceId = await requireInstanceId(context, services.database);
    const idempotency = await readAdminIdempotency(context, {});
    return answerRecorded(
      context,
      syncTemplatesResponseSchema,
      await syncTemplates(services, instanceId, idempotency),
    );
  };
  return [{ method: "POST", path: "/instances/:id/templates/sync", handlers: [sync] }];
}
