/** An instance's connection to its channel, and how a phone is paired with it. */
import { drawQrCode } from "../media/qr_image.ts";
import type { ConnectionMethod, ConnectionState } from "../model/connection.ts";
import type { ToldAllowance } from "../model/allowance.ts";
import type { NumberReport } from "../providers/connection.ts";
import {
  type ConnectionServices,
  openConnection,
  type OpenedConnection,
  openPairing,
  requireCode,
  requireDone,
} from "./open_connection.ts";
import { checkWebhooks, configureWebhooks, type ShownWebhooks } from "./webhooks.ts";

/** A connection as answers show it. */
export interface ShownConnection {
  readonly state: ConnectionState;
  /** The session's number in digits; null where it is not told. */
  readonly phone: string | null;
  readonly since: string | null;
  readonly methods: readonly ConnectionMethod[];
  readonly isExpectedPhone: boolean | null;
  /** What the official channel says of the number; null for a gateway. */
  readonly number: NumberReport | null;
  /** Where the provider sends events. */
  readonly webhooks: ShownWebhooks;
  /** Why the state is not known; null where it is. */
  readonly problem: { readonly code: string; readonly message: string } | null;
}

/**
 * Asks the provider for the connection, and records what has changed: a session of another number holds the
 * instance (`wrong_phone`), the right one releases it. A provider that does not answer is the state `unknown`.
 *
 * @throws {AppError} as `openConnection`.
 */
export async function readConnection(
  services: ConnectionServices,
  instanceId: string,
): Promise<ShownConnection> {
  const connection = await openConnection(services, instanceId);
  const session = await readOpened(services, instanceId, connection);
  return { ...session, webhooks: await checkWebhooks(services, instanceId, connection) };
}

/** The same without a look at the webhooks. */
export async function readSession(
  services: ConnectionServices,
  instanceId: string,
): Promise<Omit<ShownConnection, "webhooks">> {
  return await readOpened(services, instanceId, await openConnection(services, instanceId));
}

async function readOpened(
  services: ConnectionServices,
  instanceId: string,
  { sealedProviderConfig, pairing, read }: OpenedConnection,
): Promise<Omit<ShownConnection, "webhooks">> {
  const report = await read();
  const isTold = report.outcome === "told";
  const state = isTold ? report.state : "unknown";
  const phone = isTold ? report.phone ?? null : null;
  const noted = await services.database.rpc("note_connection", {
    ...{ instanceId, sealedProviderConfig, state, phone },
    allowance: isTold && report.number !== undefined ? toAllowance(report.number) : null,
  });
  return {
    ...{ state, phone, since: noted.since },
    methods: pairing?.methods ?? [],
    isExpectedPhone: noted.isExpectedPhone,
    number: isTold ? report.number ?? null : null,
    problem: isTold ? null : { code: report.code, message: report.message },
  };
}

/** What the number may do, as far as the channel said. */
function toAllowance({ throughput, isOnBusinessApp }: NumberReport): ToldAllowance {
  return {
    ...(throughput === null ? {} : { throughput }),
    ...(isOnBusinessApp === null ? {} : { isOnBusinessApp }),
  };
}

/** A code to scan: its text, a picture of it, and when to ask for the next one. */
export interface ScannableCode {
  readonly qr: string;
  /** A PNG as a data URL. */
  readonly image: string;
  readonly expiresAt: string;
}

/**
 * The present code to scan. Begins an attempt where none is under way.
 *
 * @throws {AppError} as `openPairing` and `requireCode`.
 */
export async function readQrCode(
  services: ConnectionServices,
  instanceId: string,
): Promise<ScannableCode> {
  const connection = await openPairing(services, instanceId);
  await configureWebhooks(services, instanceId, connection);
  const askedAt = Date.now();
  const { text, lifetimeSeconds } = requireCode(await connection.pairing.readQr(), "qr");
  return { qr: text, image: drawQrCode(text), expiresAt: endOf(askedAt, lifetimeSeconds) };
}

/** A code to type on the phone, and when to ask for the next one. */
export interface TypedCode {
  readonly code: string;
  readonly expiresAt: string;
}

/**
 * A code to type on the phone of this number.
 *
 * @param phone digits with country code.
 * @throws {AppError} as `readQrCode`.
 */
export async function requestPairingCode(
  services: ConnectionServices,
  instanceId: string,
  phone: string,
): Promise<TypedCode> {
  const connection = await openPairing(services, instanceId);
  await configureWebhooks(services, instanceId, connection);
  const askedAt = Date.now();
  const { text, lifetimeSeconds } = requireCode(
    await connection.pairing.requestCode(phone),
    "code",
  );
  return { code: text, expiresAt: endOf(askedAt, lifetimeSeconds) };
}

/**
 * Builds the session up again, or ends it.
 *
 * @throws {AppError} as `openPairing`; `provider_connection_failed` with `details`.
 */
export async function changeConnection(
  services: ConnectionServices,
  instanceId: string,
  change: "restart" | "logout",
): Promise<void> {
  const connection = await openPairing(services, instanceId);
  if (change === "restart") await configureWebhooks(services, instanceId, connection);
  requireDone(await connection.pairing[change]());
}

/** Counted from the question: an answer that came late is no longer as fresh. */
function endOf(askedAtMs: number, lifetimeSeconds: number): string {
  return new Date(askedAtMs + lifetimeSeconds * 1_000).toISOString();
}
