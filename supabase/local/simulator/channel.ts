import type { Hono } from "hono";
import type { ConnectionChange } from "./connections.ts";
import type { SimulatorContext } from "./context.ts";
import type { ChannelKind, PhoneStatus, SimulatedReply } from "./records.ts";
import type { Webhook } from "./webhooks.ts";

/** How a provider calls its customers' webhooks. */
export interface ChannelWebhook {
  /** The required fields of a registration. */
  readonly requiredFields: readonly (keyof Webhook)[];
  /** Whether the address passes the provider's verification. */
  verify(webhook: Webhook): Promise<boolean>;
  /** Builds the request that delivers an event. */
  encode(event: unknown, webhook: Webhook): Promise<EncodedEvent>;
}

export interface EncodedEvent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One simulated provider. Each folder exports one; `channels.ts` lists them. */
export interface Channel {
  readonly kind: ChannelKind;
  /** The display name. */
  readonly name: string;
  /** The path below `/simulator`. An instance's `baseUrl` ends with it. */
  readonly path: string;
  /** The provider's own endpoints. */
  createRoutes(context: SimulatorContext): ChannelRoutes;
  /** Creates a message id in the provider's format. */
  createMessageId(): string;
  /** Builds the webhook event of a message that a person wrote. */
  composeMessage(reply: SimulatedReply): unknown;
  /**
   * Builds the webhook event of a message's status on the phone. `correlationId` is the sender's id
   * of the message.
   */
  composeStatus(status: PhoneStatus, correlationId: string | null): unknown;
  /** Builds the webhook event of a connection that was lost or came back. */
  composeConnection(change: ConnectionChange): unknown;
  readonly webhook: ChannelWebhook;
}

export interface ChannelRoutes {
  /** Routes below `/simulator/<path>`: the provider's API for its customers. */
  readonly provider: Hono;
  /** Routes below `/simulator` for decisions that people make at the provider, if there are any. */
  readonly controls?: Hono;
}

/** The webhook of a provider that neither verifies addresses nor signs. */
export const plainWebhook: ChannelWebhook = {
  requiredFields: [],
  verify: () => Promise.resolve(true),
  encode: (event) => Promise.resolve({ body: JSON.stringify(event), headers: {} }),
};
