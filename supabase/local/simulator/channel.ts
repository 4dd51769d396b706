import type { Hono } from "hono";
import type { SimulatorContext } from "./context.ts";
import type { ChannelKind, PhoneStatus, SimulatedReply } from "./records.ts";
import type { Webhook } from "./webhooks.ts";

/** How a provider treats its customers' webhooks. */
export interface ChannelWebhook {
  /** The fields that a registration must have. */
  readonly requiredFields: readonly (keyof Webhook)[];
  /** Whether the address proves that it expects this provider. */
  verify(webhook: Webhook): Promise<boolean>;
  /** An event as it is sent. */
  encode(event: unknown, webhook: Webhook): Promise<EncodedEvent>;
}

export interface EncodedEvent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One simulated provider. Each folder exports one; `channels.ts` lists them. */
export interface Channel {
  readonly kind: ChannelKind;
  /** What people call it. */
  readonly name: string;
  /** Where it answers, below `/simulator`; the rest of an instance's `baseUrl`. */
  readonly path: string;
  /** The provider's own endpoints. */
  createRoutes(context: SimulatorContext): ChannelRoutes;
  /** A new id of a message, in the provider's form. */
  createMessageId(): string;
  /** The webhook event of a message that a person wrote. */
  composeMessage(reply: SimulatedReply): unknown;
  /**
   * The webhook event of what a phone did with a message. `correlationId` is what the sender had it
   * carry.
   */
  composeStatus(status: PhoneStatus, correlationId: string | null): unknown;
  readonly webhook: ChannelWebhook;
}

export interface ChannelRoutes {
  /** Below `/simulator/<path>`: what the provider's customers call. */
  readonly provider: Hono;
  /** Below `/simulator`: what a person decides at the provider, where there is anything. */
  readonly controls?: Hono;
}

/** The webhook of a provider that neither verifies addresses nor signs. */
export const plainWebhook: ChannelWebhook = {
  requiredFields: [],
  verify: () => Promise.resolve(true),
  encode: (event) => Promise.resolve({ body: JSON.stringify(event), headers: {} }),
};
