/** Fresh tenants for tests, made as admin-api makes them: credentials sealed, tokens hashed. */

import type { Sql } from "postgres";
import { createClientToken, createEmbedKey } from "../../shared/crypto/client_token.ts";
import {
  createCredentialVault,
  type CredentialVault,
} from "../../shared/crypto/credential_vault.ts";
import { gatewayInstanceIdOf } from "../../shared/providers/registry.ts";
import type { ProviderKind } from "../../shared/model/provider_kind.ts";

/** Seals every tenant's credentials here; it protects nothing. */
export const testCredentialsKey = btoa("k".repeat(32));
export const testVault: CredentialVault = createCredentialVault(testCredentialsKey);

/** A window that is never closed: the default, so that no test depends on the time of day. */
export const alwaysOpen = { start: "00:00", end: "24:00", days: [1, 2, 3, 4, 5, 6, 7] } as const;

export interface TenantOptions {
  /** Default: a new one. */
  readonly instanceId?: string;
  /** Where the instance's provider is reached. */
  readonly baseUrl?: string;
  readonly provider?: ProviderKind;
  /** The workspace to join; a new one by default. */
  readonly workspaceId?: string;
  readonly timeZone?: string;
  readonly window?: {
    readonly start: string;
    readonly end: string;
    readonly days: readonly number[];
  };
  readonly holidays?: readonly string[];
  readonly onUnconfirmed?: "hold" | "retry";
  /** Members of the provider's configuration that replace the usual ones; undefined leaves one out. */
  readonly providerConfig?: Readonly<Record<string, string | undefined>>;
  readonly businessInstanceId?: string | null;
}

export interface Tenant {
  readonly workspaceId: string;
  readonly instanceId: string;
  readonly tokenId: string;
  readonly token: string;
  readonly embedKey: string;
  readonly businessInstanceId: string | null;
  readonly gatewayInstanceId: string | null;
  readonly connectedPhone: string;
}

/** Secrets that no response and no log line may hold. */
export const providerSecrets = [
  "zapi-secret-token",
  "zapi-secret-client",
  "EAAG-secret-access",
  "evolution-secret-key",
  "hook-secret-value",
] as const;

/** A workspace (or a place in one), an instance and a live token. @param sql of the superuser. */
export async function createTenant(sql: Sql, options: TenantOptions = {}): Promise<Tenant> {
  const provider = options.provider ?? "zapi";
  const instanceId = options.instanceId ?? crypto.randomUUID();
  const config = createConfig(provider, options);
  const window = options.window ?? alwaysOpen;
  const embedKey = createEmbedKey();
  const gatewayInstanceId = gatewayInstanceIdOf(provider, config);
  const businessInstanceId = options.businessInstanceId === undefined
    ? `business-${instanceId}`
    : options.businessInstanceId;
  const connectedPhone = "551140001234";
  const workspaceId = options.workspaceId ?? await createWorkspace(sql);
  const sealed = await testVault.seal(config, instanceId);
  await sql`
    insert into messaging.instances (
      id, workspace_id, name, provider, sealed_provider_config, gateway_instance_id,
      business_instance_id, embed_key, connected_phone, connected_phone_key, time_zone,
      window_start, window_end, window_days, on_unconfirmed
    ) values (
      ${instanceId}, ${workspaceId}, 'Loja', ${provider}, ${sealed}, ${gatewayInstanceId},
      ${businessInstanceId}, ${embedKey}, ${connectedPhone}, ${connectedPhone},
      ${options.timeZone ?? "America/Sao_Paulo"}, ${window.start}, ${window.end},
      ${[...window.days]}, ${options.onUnconfirmed ?? "hold"}
    )`;
  await sql`insert into messaging.pacing (instance_id) values (${instanceId})`;
  await sql`insert into messaging.dispatch (instance_id) values (${instanceId})`;
  for (const day of options.holidays ?? []) {
    await sql`insert into messaging.holidays (instance_id, day) values (${instanceId}, ${day})`;
  }
  const { tokenId, token } = await createToken(sql, instanceId);
  return {
    workspaceId,
    instanceId,
    tokenId,
    token,
    embedKey,
    businessInstanceId,
    gatewayInstanceId,
    connectedPhone,
  };
}

/** One more token of an instance. */
export async function createToken(
  sql: Sql,
  instanceId: string,
  dates: { readonly expiresAt?: Date; readonly revokedAt?: Date } = {},
): Promise<{ tokenId: string; token: string }> {
  const { token, tokenHash } = await createClientToken();
  const tokenId = crypto.randomUUID();
  await sql`
    insert into messaging.client_tokens (id, instance_id, token_hash, expires_at, revoked_at)
    values (${tokenId}, ${instanceId}, ${tokenHash}, ${dates.expiresAt ?? null},
      ${dates.revokedAt ?? null})`;
  return { tokenId, token };
}

/** An operator of a workspace. */
export async function createOperator(
  sql: Sql,
  workspaceId: string,
  operator: { readonly name: string; readonly email: string },
): Promise<string> {
  const id = crypto.randomUUID();
  await sql`
    insert into messaging.operators (id, workspace_id, name, email)
    values (${id}, ${workspaceId}, ${operator.name}, ${operator.email})`;
  return id;
}

/** An AI agent of an instance. */
export async function createAgent(
  sql: Sql,
  instanceId: string,
  { isActive = true }: { readonly isActive?: boolean } = {},
): Promise<string> {
  const id = crypto.randomUUID();
  await sql`
    insert into messaging.ai_agents (id, instance_id, name, instructions, model, is_active)
    values (${id}, ${instanceId}, 'Ana', 'Answer briefly.', 'gpt-test', ${isActive})`;
  return id;
}

async function createWorkspace(sql: Sql): Promise<string> {
  const id = crypto.randomUUID();
  await sql`insert into messaging.workspaces (id, name) values (${id}, 'Empresa')`;
  return id;
}

function createConfig(
  provider: ProviderKind,
  { baseUrl = "http://127.0.0.1:9", providerConfig = {} }: TenantOptions,
): Record<string, string> {
  const id = crypto.randomUUID().slice(0, 8);
  const base: Record<ProviderKind, Record<string, string>> = {
    zapi: {
      gatewayInstanceId: `gateway-${id}`,
      token: "zapi-secret-token",
      clientToken: "zapi-secret-client",
      webhookSecret: "hook-secret-value",
    },
    evolution: {
      instanceName: `evolution-${id}`,
      apiKey: "evolution-secret-key",
      webhookSecret: "hook-secret-value",
    },
    whatsapp_cloud: {
      phoneNumberId: `${Math.floor(Math.random() * 1e15)}`,
      accessToken: "EAAG-secret-access",
      appSecret: "EAAG-secret-access",
      verifyToken: "hook-secret-value",
    },
  };
  const config = { baseUrl, ...base[provider], ...providerConfig };
  return Object.fromEntries(
    Object.entries(config).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
