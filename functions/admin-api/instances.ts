import { createEmbedKey } from "../../shared/crypto/client_token.ts";
import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import type { InstanceRecord } from "../../shared/model/instance_record.ts";
import { defaultSendWindow } from "../../shared/model/instance_settings.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import type { ProviderRegistry } from "../../shared/providers/create_registry.ts";
import type { AdministeredProvider } from "../../shared/providers/administration.ts";
import type { Recorded } from "../../shared/idempotency/recorded_call.ts";
import type { CreateInstanceRequest, UpdateInstanceRequest } from "./instance_contract.ts";
import { changeRecord, executeOnce } from "./record_calls.ts";

/** Dependencies of the functions that write instances. */
export interface InstanceServices {
  readonly database: Database;
  readonly vault: CredentialVault;
  readonly registry: ProviderRegistry<AdministeredProvider>;
}

/**
 * Creates an instance. Generates the id here, because the credentials are sealed for that id before
 * they reach the database.
 *
 * @throws {AppError} `workspace_not_found`; `already_exists` where another instance has its
 * `businessInstanceId` or its id at the provider; `invalid_request` for a time zone that the
 * database does not know.
 */
export async function createInstance(
  { database, vault, registry }: InstanceServices,
  request: CreateInstanceRequest,
  idempotency: Idempotency | null,
): Promise<Recorded<InstanceRecord>> {
  const instanceId = crypto.randomUUID();
  const { providerConfig, ...settings } = request;
  const provider = registry.get(request.provider);
  const call = database.rpc("create_instance", {
    ...settings,
    ...await sealConfig(vault, { instanceId, provider, providerConfig }),
    instanceId,
    embedKey: createEmbedKey(),
    sendWindow: { ...defaultSendWindow, ...request.sendWindow },
    idempotency,
  });
  return await executeOnce(call, uniqueFieldsOf(provider));
}

/**
 * Changes the fields of the request. Merges the parts of a send window; replaces the credentials as
 * a whole.
 *
 * @throws {AppError} `Instance not found`; `already_exists` as above; `invalid_request` where the
 * window would not end after its start, or for a time zone that the database does not know.
 */
export async function updateInstance(
  { database, vault }: InstanceServices,
  { instanceId, provider }: Pick<OpenConfig, "instanceId" | "provider">,
  request: UpdateInstanceRequest,
): Promise<InstanceRecord> {
  const { providerConfig, ...settings } = request;
  const sealed = providerConfig === undefined
    ? {}
    : await sealConfig(vault, { instanceId, provider, providerConfig });
  const changes = { ...settings, ...sealed };
  return await changeRecord(
    database.rpc("update_instance", { instanceId, changes }),
    uniqueFieldsOf(provider),
  );
}

/** The request's field with the provider's id of the instance, which must be unique. */
function uniqueFieldsOf(
  { config }: AdministeredProvider,
): { uniqueFields: Readonly<Record<string, string>> } {
  return {
    uniqueFields: { gatewayInstanceId: `providerConfig.${config.idField}` },
  };
}

interface OpenConfig {
  readonly instanceId: string;
  readonly provider: AdministeredProvider;
  readonly providerConfig: Readonly<Record<string, unknown>>;
}

/** Drops fields that the provider's schema does not define, as for every request of this API. */
async function sealConfig(
  vault: CredentialVault,
  { instanceId, provider, providerConfig }: OpenConfig,
): Promise<{ sealedProviderConfig: string; gatewayInstanceId: string | null }> {
  const parsed = provider.parseConfig(providerConfig);
  if (!parsed.ok) throw new Error("the contract let an invalid provider configuration pass");
  return {
    sealedProviderConfig: await vault.seal(parsed.config, instanceId),
    gatewayInstanceId: provider.gatewayInstanceIdOf(parsed.config),
  };
}
