/**
 * An instance's connection at its provider: what it is, and how a phone is paired. Every function makes its
 * calls once, never throws because of the server's behaviour, and tells no code in an error.
 */
import type { ConnectionMethod, ConnectionState } from "../model/connection.ts";
import type { SlotRequest } from "./http/host_limiter.ts";

/** What a call of a connection needs: whose slot it takes, and its time limit. */
export interface ConnectionOptions extends Pick<SlotRequest, "instanceId"> {
  /** Time limit of one call, in milliseconds. */
  readonly timeoutMs: number;
}

/** Why the provider did not do what it was asked: its own code and words, without credentials. */
export interface ConnectionFailure {
  readonly outcome: "failed";
  readonly code: string;
  readonly message: string;
}

/** What the official channel says of a number. Null members: it did not say. */
export interface NumberReport {
  /** `CONNECTED`, `FLAGGED`, `BANNED` and others, in the provider's spelling; so are the next three. */
  readonly status: string | null;
  readonly quality: string | null;
  readonly throughput: string | null;
  readonly messagingLimit: string | null;
  /** Whether the number is also used in the WhatsApp Business app. */
  readonly isOnBusinessApp: boolean | null;
}

/** The state of a connection. */
export interface ConnectionReport {
  readonly outcome: "told";
  readonly state: ConnectionState;
  /** The number of the session, in digits; undefined where it is not told. */
  readonly phone?: string | undefined;
  /** Of the official channel alone. */
  readonly number?: NumberReport | undefined;
}

/**
 * A code to pair a phone by: what a QR code holds, or what is typed on the phone.
 * - `already_connected`: there is a session, so there is no code.
 * - `not_ready`: the provider has no code yet.
 * - `passkey_required`: the account asks for its passkey, which no code replaces.
 */
export type PairingOutcome =
  | {
    readonly outcome: "code";
    readonly text: string;
    /** After how long it is asked for anew, because it may be over soon. */
    readonly lifetimeSeconds: number;
  }
  | { readonly outcome: "already_connected" | "not_ready" | "passkey_required" }
  | ConnectionFailure;

/** The outcome of a restart or a logout. */
export type ConnectionChangeOutcome = { readonly outcome: "done" } | ConnectionFailure;

/** How phones are paired with a gateway. */
export interface Pairing {
  readonly methods: readonly ConnectionMethod[];
  /** The present code to scan; begins an attempt where none is under way. */
  readQr(): Promise<PairingOutcome>;
  /** A code to type on the phone of this number, digits with country code. */
  requestCode(phone: string): Promise<PairingOutcome>;
  /** Builds the session up again; a phone that is paired stays so. */
  restart(): Promise<ConnectionChangeOutcome>;
  /** Ends the session: the phone has to be paired again. */
  logout(): Promise<ConnectionChangeOutcome>;
}

/** Where a provider sends an instance's events. */
export interface WebhookReport {
  readonly outcome: "told";
  /** Whether everything that the service reads comes to its own address. */
  readonly isOurs: boolean;
  /** Where it goes otherwise; null for nowhere. */
  readonly url: string | null;
}

/** The webhooks of an instance at its provider. */
export interface ProviderWebhooks {
  /** The address to set, from the address of the instance's webhook without a secret. */
  addressOf(webhookUrl: string): string;
  /** Makes one call. */
  read(address: string): Promise<WebhookReport | ConnectionFailure>;
  /** Makes one call, or two where webhooks are changed only with what else is configured. */
  set(address: string): Promise<ConnectionChangeOutcome>;
}

/** The connection of one instance, with its credentials. */
export interface ProviderConnection {
  /** Makes two calls at most. */
  read(): Promise<ConnectionReport | ConnectionFailure>;
  /** Null where the provider's numbers are connected elsewhere. */
  readonly pairing: Pairing | null;
  /** Null where the service cannot see where events go. */
  readonly webhooks: ProviderWebhooks | null;
}
