import { AppError } from "../../shared/model/errors.ts";
import type { Idempotency } from "../../shared/idempotency/stored_response.ts";
import { parseProviderConfig } from "../../shared/providers/registry.ts";
import type { ProviderKind } from "../../shared/model/provider_kind.ts";
import type { WhatsappCloudConfig } from "../../shared/providers/whatsapp_cloud/config.ts";
import {
  type ListedTemplate,
  listWhatsappCloudTemplates,
} from "../../shared/providers/whatsapp_cloud/template_list.ts";
import {
  type Recorded,
  type Replayed,
  toRecorded,
} from "../../shared/idempotency/recorded_call.ts";
import type { InstanceServices } from "./instances.ts";
import { type AdminRecord, executeOnce } from "./record_calls.ts";

export interface TemplateSyncServices extends InstanceServices {
  /** Bound on one provider call, in milliseconds. */
  readonly providerTimeoutMs: number;
}

/** All pages of a list together: well within what a request may take. */
const totalTimeoutMs = 90_000;

interface SyncTarget {
  readonly provider: ProviderKind;
  readonly sealedProviderConfig: string;
  readonly askedAt: string;
}

/**
 * Makes an instance's stored templates what the official channel's provider says they are: name,
 * language, components, format, status. The provider is read whole before anything is changed.
 *
 * @throws {AppError} `Instance not found`; `template_sync_not_available` for a gateway and without
 * a `wabaId`; `provider_template_list_failed` with `details`.
 */
export async function syncTemplates(
  services: TemplateSyncServices,
  instanceId: string,
  idempotency: Idempotency | null,
): Promise<Recorded<AdminRecord>> {
  const { database } = services;
  const request = { instanceId, idempotency };
  const begun = await database.rpc<SyncTarget | Replayed<AdminRecord>>(
    "begin_template_sync",
    request,
  );
  if ("replayed" in begun) return toRecorded<AdminRecord>(begun);
  const config = await openConfig(services, instanceId, begun);
  const templates = await listTemplates(config, services.providerTimeoutMs);
  return await executeOnce(database, "sync_message_templates", {
    ...request,
    askedAt: begun.askedAt,
    templates,
  });
}

async function openConfig(
  { vault }: InstanceServices,
  instanceId: string,
  { provider, sealedProviderConfig }: SyncTarget,
): Promise<WhatsappCloudConfig> {
  if (provider !== "whatsapp_cloud") throw new AppError("template_sync_not_available");
  const stored = await vault.open<unknown>(sealedProviderConfig, instanceId);
  const parsed = parseProviderConfig(provider, stored);
  if (!parsed.ok) throw new Error("a stored provider configuration does not fit its provider");
  if (parsed.config.wabaId === undefined) {
    throw new AppError("template_sync_not_available", {
      message: "The instance's providerConfig has no wabaId, whose templates could be read.",
    });
  }
  return parsed.config;
}

async function listTemplates(
  config: WhatsappCloudConfig,
  timeoutMs: number,
): Promise<readonly ListedTemplate[]> {
  const listing = await listWhatsappCloudTemplates(config, { timeoutMs, totalTimeoutMs });
  if (listing.outcome === "listed") return listing.templates;
  const { code, message } = listing;
  throw new AppError("provider_template_list_failed", { body: { details: { code, message } } });
}
