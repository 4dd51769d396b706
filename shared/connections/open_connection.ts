import type { CredentialVault } from "../crypto/credential_vault.ts";
import type { ConnectionTarget } from "../database/rpcs/inbound.ts";
import type { Database } from "../database/database.ts";
import type { ConnectionMethod } from "../model/connection.ts";
import { AppError } from "../model/errors.ts";
import type { AdministeredProvider } from "../providers/administration.ts";
import type {
  ConnectionChangeOutcome,
  ConnectionFailure,
  Pairing,
  PairingOutcome,
  ProviderConnection,
} from "../providers/connection.ts";
import { absentSession, unusableAnswer } from "../providers/connection_calls.ts";
import type { ProviderRegistry } from "../providers/create_registry.ts";

/** What reaches the connections of instances. */
export interface ConnectionServices {
  readonly database: Database;
  readonly vault: CredentialVault;
  readonly registry: ProviderRegistry<AdministeredProvider>;
  /** Time limit of one provider call, in milliseconds. */
  readonly providerTimeoutMs: number;
  /** Where the functions are reached from outside, without a trailing slash: webhooks lead there. */
  readonly functionsUrl: string;
}

/** An instance's connection, and the credentials that it is asked with. */
export interface OpenedConnection extends ProviderConnection, ConnectionTarget {}

/**
 * Opens the connection of an instance.
 *
 * @throws {AppError} `Instance not found`; `connection_not_available` where the provider tells nothing of
 * connections.
 */
export async function openConnection(
  { database, vault, registry, providerTimeoutMs: timeoutMs }: ConnectionServices,
  instanceId: string,
): Promise<OpenedConnection> {
  const target = await database.rpc("get_connection_target", { instanceId });
  const { provider, sealedProviderConfig } = target;
  const config = await vault.open<unknown>(sealedProviderConfig, instanceId);
  const connection = await registry.get(provider).openConnection(config, { instanceId, timeoutMs });
  if (connection === null) throw new AppError("connection_not_available");
  return { ...connection, ...target };
}

/** @throws {AppError} as `openConnection`, also where the number is connected elsewhere. */
export async function openPairing(
  services: ConnectionServices,
  instanceId: string,
): Promise<OpenedConnection & { readonly pairing: Pairing }> {
  const connection = await openConnection(services, instanceId);
  const { pairing } = connection;
  if (pairing === null) throw new AppError("connection_not_available");
  return { ...connection, pairing };
}

/** What each kind of code is: WhatsApp's QR codes hold some 250 characters, and a QR code at most 2,953 bytes. */
const codeForms: Readonly<Record<ConnectionMethod, RegExp>> = {
  qr: /^[\x21-\x7e]{1,1000}$/,
  code: /^[A-Za-z0-9]{8}$/,
};

/**
 * The code of an outcome. One that is typed has no hyphen, which some gateways write in its middle.
 *
 * @throws {AppError} `already_connected`, `connection_pending`, `passkey_required`,
 * `session_not_found`, or `provider_connection_failed` with `details`.
 */
export function requireCode(
  outcome: PairingOutcome,
  method: ConnectionMethod,
): Extract<PairingOutcome, { readonly outcome: "code" }> {
  switch (outcome.outcome) {
    case "code": {
      const text = method === "code" ? outcome.text.replace("-", "") : outcome.text;
      if (!codeForms[method].test(text)) throw refuseConnection(unusableAnswer);
      return { ...outcome, text };
    }
    case "already_connected":
      throw new AppError("already_connected");
    case "not_ready":
      throw new AppError("connection_pending");
    case "passkey_required":
      throw new AppError("passkey_required");
    case "failed":
      throw refuseConnection(outcome);
  }
}

/** @throws {AppError} `session_not_found`, or `provider_connection_failed` with `details`. */
export function requireDone(outcome: ConnectionChangeOutcome): void {
  if (outcome.outcome === "failed") throw refuseConnection(outcome);
}

function refuseConnection({ code, message }: ConnectionFailure): AppError {
  if (code === absentSession.code) return new AppError("session_not_found");
  return new AppError("provider_connection_failed", { body: { details: { code, message } } });
}
