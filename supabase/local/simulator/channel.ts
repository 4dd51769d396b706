import type { Hono } from "hono";
import type { SimulatedFile } from "./file_store.ts";
import type { PartWriters } from "./part_writers.ts";
import type { ChannelKind, PhoneStatus, SimulatedChange, SimulatedReply } from "./records.ts";

/** One simulated provider's facts on the wire. Each folder exports one; `channels.ts` lists them. */
export interface Channel {
  readonly kind: ChannelKind;
  /** The display name. */
  readonly name: string;
  /** The path below `/simulator`. An instance's `baseUrl` ends with it. */
  readonly path: string;
  /** Creates a message id in the provider's format. */
  createMessageId(): string;
  /**
   * Builds the webhook event of a message that a person wrote. `embedded` is its file, where the event
   * holds it.
   */
  composeMessage(reply: SimulatedReply, embedded?: SimulatedFile): unknown;
  /** How events of this channel tell each part of a message. */
  readonly parts: PartWriters;
  /** Whether events of this channel may hold their files. */
  readonly embedsFiles?: true;
  /** Whether the provider is the channel itself: it tells user ids, and decides about accounts and messages. */
  readonly isOfficial?: true;
  /** Builds the webhook event of an edit, or of a deletion for everyone. */
  composeChange(change: SimulatedChange): unknown;
  /**
   * Builds the webhook event of a message's status on the phone. `correlationId` is the sender's id
   * of the message.
   */
  composeStatus(status: PhoneStatus, correlationId: string | null): unknown;
  /** Builds the webhook event of a connection that was lost or came back. */
  composeConnection(change: ConnectionChange): unknown;
  readonly webhook: ChannelWebhook;
}

/** The endpoints of one simulated provider. Each folder creates them in its `routes.ts`. */
export interface ChannelRoutes {
  /** Routes below `/simulator/<path>`: the provider's API for its customers. */
  readonly provider: Hono;
  /** Routes below `/simulator` for decisions that people make at the provider, if there are any. */
  readonly controls?: Hono;
}

/** A change of a connection, from which a channel builds its webhook event. */
export interface ConnectionChange {
  readonly instance: string;
  readonly state: "connected" | "disconnected";
  /** The phone of the session, where it is known. */
  readonly phone?: string | undefined;
  readonly at: string;
}

/** How a provider calls its customers' webhooks. */
export interface ChannelWebhook {
  /** The required fields of a registration. */
  readonly requiredFields: readonly (keyof Webhook)[];
  /** Whether the address passes the provider's verification. */
  verify(webhook: Webhook): Promise<boolean>;
  /** Builds the request that delivers an event. */
  encode(event: unknown, webhook: Webhook): Promise<EncodedEvent>;
}

/** An instance's webhook as registered at the provider. */
export interface Webhook {
  readonly provider: ChannelKind;
  /** The provider's own id of the instance. */
  readonly instance: string;
  readonly url: string;
  /** The number of the phone that is connected; undefined where nobody says which one it is. */
  readonly phone?: string | undefined;
  /** What signs every event: the app secret at Meta, the key of a gateway that signs. */
  readonly appSecret?: string | undefined;
  /** The verify token that Meta sends when the address is registered. */
  readonly verifyToken?: string | undefined;
}

export interface EncodedEvent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The webhook of a provider that neither verifies addresses nor signs. */
export const plainWebhook: ChannelWebhook = {
  requiredFields: [],
  verify: () => Promise.resolve(true),
  encode: (event) => Promise.resolve({ body: JSON.stringify(event), headers: {} }),
};
