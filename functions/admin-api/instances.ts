import { createEmbedKey } from "../../shared/crypto/client_token.ts";
import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import type { Idempotency } from "../../shared/idempotency/stored_response.ts";
import {
  gatewayInstanceIdFieldOf,
  gatewayInstanceIdOf,
  parseProviderConfig,
} from "../../shared/providers/registry.ts";
import type { ProviderKind } from "../../shared/model/provider_kind.ts";
import type { Recorded } from "../../shared/idempotency/recorded_call.ts";
import {
  type CreateInstanceRequest,
  defaultSendWindow,
  type UpdateInstanceRequest,
} from "./instance_contract.ts";
import { type AdminRecord, changeRecord, executeOnce } from "./record_calls.ts";

/** What instances are written with. */
export interface InstanceServices {
  readonly database: Database;
  readonly vault: CredentialVault;
}

/**
 * Creates an instance. Its id is drawn here, since its credentials are sealed for that id and
 * reach the database sealed only.
 *
 * @throws {AppError} `workspace_not_found`; `already_exists` where another instance has its
 * `businessInstanceId`, or its own id at the provider; `invalid_request` for a time zone that the
 * database does not know.
 */
export async function createInstance(
  { database, vault }: InstanceServices,
  request: CreateInstanceRequest,
  idempotency: Idempotency | null,
): Promise<Recorded<AdminRecord>> {
  const instanceId = crypto.randomUUID();
  const { providerConfig, ...settings } = request;
  return await executeOnce(database, "create_instance", {
    ...settings,
    ...await sealConfig(vault, { instanceId, kind: request.provider, providerConfig }),
    instanceId,
    embedKey: createEmbedKey(),
    sendWindow: { ...defaultSendWindow, ...request.sendWindow },
    idempotency,
  }, uniqueFieldsOf(request.provider));
}

/**
 * Changes what the request holds; a send window part by part, the credentials whole.
 *
 * @throws {AppError} `Instance not found`; `already_exists` as above; `invalid_request` where the window would not end after
 * its start, or for a time zone that the database does not know.
 */
export async function updateInstance(
  { database, vault }: InstanceServices,
  { instanceId, kind }: { readonly instanceId: string; readonly kind: ProviderKind },
  request: UpdateInstanceRequest,
): Promise<AdminRecord> {
  const { providerConfig, ...settings } = request;
  const sealed = providerConfig === undefined
    ? {}
    : await sealConfig(vault, { instanceId, kind, providerConfig });
  const changes = { ...settings, ...sealed };
  return await changeRecord(
    database,
    "update_instance",
    { instanceId, changes },
    uniqueFieldsOf(kind),
  );
}

/** Where a request of the provider names what no two instances may share. */
function uniqueFieldsOf(kind: ProviderKind): { uniqueFields: Readonly<Record<string, string>> } {
  return {
    uniqueFields: { gatewayInstanceId: `providerConfig.${gatewayInstanceIdFieldOf(kind)}` },
  };
}

interface OpenConfig {
  readonly instanceId: string;
  readonly kind: ProviderKind;
  readonly providerConfig: Readonly<Record<string, unknown>>;
}

/** Fields that the provider does not know are not kept, as anywhere in this API. */
async function sealConfig(
  vault: CredentialVault,
  { instanceId, kind, providerConfig }: OpenConfig,
): Promise<{ sealedProviderConfig: string; gatewayInstanceId: string | null }> {
  const parsed = parseProviderConfig(kind, providerConfig);
  if (!parsed.ok) throw new Error("the contract let a provider configuration pass that is none");
  return {
    sealedProviderConfig: await vault.seal(parsed.config, instanceId),
    gatewayInstanceId: gatewayInstanceIdOf(kind, parsed.config),
  };
}
