import { createWebhookSecret } from "../../shared/crypto/webhook_secret.ts";
import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import type {
  EndpointTarget,
  KeptSecret,
  NewEndpoint,
} from "../../shared/database/rpcs/webhooks.ts";
import type { EndpointRecord } from "../../shared/model/endpoint_record.ts";
import { callRecorded, type Recorded } from "../../shared/idempotency/recorded_call.ts";

export interface SecretServices {
  readonly database: Database;
  readonly vault: CredentialVault;
}

/** An endpoint with its secret, which no other answer contains. */
export type EndpointWithSecret = EndpointRecord & { readonly secret: string };

/**
 * Creates an endpoint with a new secret. The database stores it sealed; a call that is repeated with
 * its `Idempotency-Key` returns the same secret.
 *
 * @throws {AppError} `too_many_endpoints`.
 */
export async function createEndpoint(
  { database, vault }: SecretServices,
  request: Omit<NewEndpoint, "endpointId" | "sealedSecret">,
  idempotency: Idempotency | null,
): Promise<Recorded<EndpointWithSecret>> {
  const endpointId = crypto.randomUUID();
  const secret = createWebhookSecret();
  const created = await callRecorded(database, "create_event_endpoint", {
    ...request,
    endpointId,
    sealedSecret: await vault.seal(secret, endpointId),
    idempotency,
  });
  return await showSecret(vault, created, secret);
}

/**
 * Gives an endpoint a new secret. The former one signs too until the grace period ends.
 *
 * @throws {AppError} `endpoint_not_found`.
 */
export async function rotateSecret(
  { database, vault }: SecretServices,
  request: EndpointTarget & { readonly gracePeriodSeconds: number },
  idempotency: Idempotency | null,
): Promise<Recorded<EndpointWithSecret>> {
  const secret = createWebhookSecret();
  const rotated = await callRecorded(database, "rotate_endpoint_secret", {
    ...request,
    sealedSecret: await vault.seal(secret, request.endpointId),
    idempotency,
  });
  return await showSecret(vault, rotated, secret);
}

async function showSecret(
  vault: CredentialVault,
  { outcome, isReplay }: Recorded<EndpointRecord & KeptSecret>,
  secret: string,
): Promise<Recorded<EndpointWithSecret>> {
  const { sealedSecret, ...record } = outcome;
  if (!isReplay) return { outcome: { ...record, secret }, isReplay };
  const first = await vault.open<string>(String(sealedSecret), record.endpointId);
  return { outcome: { ...record, secret: first }, isReplay };
}
