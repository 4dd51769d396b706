import type { UsageComparison } from "../../shared/model/usage_record.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { BilledUsage } from "../../shared/providers/billed_usage.ts";
import type { TemplateSyncServices } from "./template_sync.ts";

/**
 * A month's sums of an instance beside what its provider bills. Asks the provider once.
 *
 * @param month of the instance's time zone, `YYYY-MM`.
 * @throws {AppError} `Instance not found`; `provider_usage_not_available` where the provider bills no
 * messages or the instance has no account; `provider_usage_failed` with `details`.
 */
export async function compareUsage(
  services: TemplateSyncServices,
  instanceId: string,
  month: string,
): Promise<UsageComparison> {
  const { currency, points } = await readBilled(services, instanceId, month);
  return await services.database.rpc("compare_usage", { instanceId, month, currency, points });
}

async function readBilled(
  { database, registry, vault, providerTimeoutMs: timeoutMs }: TemplateSyncServices,
  instanceId: string,
  month: string,
): Promise<Extract<BilledUsage, { readonly outcome: "read" }>> {
  const account = await database.rpc("find_billed_account", { instanceId, month });
  const { provider, sealedProviderConfig, connectedPhone, startsAt, endsAt } = account;
  const { readBilledUsage } = registry.get(provider);
  if (readBilledUsage === null) throw new AppError("provider_usage_not_available");
  const config = await vault.open<unknown>(sealedProviderConfig, instanceId);
  const billed = await readBilledUsage(config, {
    ...{ instanceId, connectedPhone, startsAt, endsAt, timeoutMs },
  });
  if (billed.outcome === "read") return billed;
  const { message } = billed;
  if (billed.outcome === "not_configured") {
    throw new AppError("provider_usage_not_available", { message });
  }
  throw new AppError("provider_usage_failed", {
    body: { details: { code: billed.code, message } },
  });
}
