import { AppError } from "../../shared/model/errors.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import type { SyncTarget } from "../../shared/database/rpcs/templates.ts";
import type { TemplateSyncReport } from "../../shared/model/template_record.ts";
import type { TemplateListing } from "../../shared/providers/template_listing.ts";
import { type Recorded, toRecorded } from "../../shared/idempotency/recorded_call.ts";
import type { InstanceServices } from "./instances.ts";
import { executeOnce } from "./record_calls.ts";

export interface TemplateSyncServices extends InstanceServices {
  /** Time limit of one provider call, in milliseconds. */
  readonly providerTimeoutMs: number;
}

/** Time limit of all pages of a list together, well below the platform's limit of a request. */
const totalTimeoutMs = 90_000;

/**
 * Synchronises an instance's stored templates with the official channel's provider: name, language,
 * components, format, status. Reads the provider's whole list before the first change.
 *
 * @throws {AppError} `Instance not found`; `template_sync_not_available` where the provider has no
 * templates or the instance no account; `provider_template_list_failed` with `details`.
 */
export async function syncTemplates(
  services: TemplateSyncServices,
  instanceId: string,
  idempotency: Idempotency | null,
): Promise<Recorded<TemplateSyncReport>> {
  const { database } = services;
  const request = { instanceId, idempotency };
  const begun = await database.rpc("begin_template_sync", request);
  if ("replayed" in begun) return toRecorded<TemplateSyncReport>(begun);
  const { templates, limit } = await listTemplates(services, instanceId, begun);
  return await executeOnce(database.rpc("sync_message_templates", {
    ...request,
    askedAt: begun.askedAt,
    templates,
    limit,
  }));
}

async function listTemplates(
  { registry, vault, providerTimeoutMs: timeoutMs }: TemplateSyncServices,
  instanceId: string,
  { provider, sealedProviderConfig }: SyncTarget,
): Promise<Extract<TemplateListing, { readonly outcome: "listed" }>> {
  const { listTemplates } = registry.get(provider);
  if (listTemplates === null) throw new AppError("template_sync_not_available");
  const config = await vault.open<unknown>(sealedProviderConfig, instanceId);
  const listing = await listTemplates(config, { instanceId, timeoutMs, totalTimeoutMs });
  if (listing.outcome === "listed") return listing;
  const { message } = listing;
  if (listing.outcome === "not_configured") {
    throw new AppError("template_sync_not_available", { message });
  }
  const details = { code: listing.code, message };
  throw new AppError("provider_template_list_failed", { body: { details } });
}
