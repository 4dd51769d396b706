/** What the tests know of one provider: its configuration, its double, and what its webhook tells. */
import type { Receipt } from "../../../shared/providers/provider.ts";
import type { InboundExample } from "../fixtures/inbound_examples.ts";

type Json = Readonly<Record<string, unknown>>;

/** A call at an instance's webhook address, with its credential. */
export interface WebhookRequest {
  /** Below `/provider-webhook/`. */
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The credentials of `createConfig` that a webhook shows. */
export const webhookSecret = "hook-secret-value";
export const appSecret = "EAAG-secret-access";
/** The contact that writes. */
export const contactPhone = "5511977776666";

/** The contents of which channels lose something: the names of what `kinds_test.ts` sends. */
export type LossyContent =
  | "card"
  | "sections"
  | "document above buttons"
  | "no preview"
  | "view once"
  | "contact request"
  | "location request";

/** A message whose call each provider's facts show. */
export const documentedMessage = {
  messageId: "5c0a2a52-0a1f-4d64-9c1e-2f7c0b1f6c11",
  to: "5511987654321",
  content: { messageType: "text", message: "Olá" },
} as const;

/** The call that sends `documentedMessage`, and the answer to it. */
export interface DocumentedCall {
  /** Without an address. */
  readonly config: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly success: { readonly status: number; readonly json: unknown };
  readonly accepted: Receipt;
}

/** What `docs/` tells a reader to subscribe a webhook to. */
export interface Subscription {
  /** The page, and the head of its table. */
  readonly page: string;
  readonly head: readonly string[];
  /** The names in the page, from that which a provider sends. */
  toSubscribed(field: string): string | undefined;
  /** Where the readers name what they take. */
  readonly sources: readonly string[];
}

export interface ProviderFacts {
  /** `providerConfig` with a value in every field. */
  readonly config: Readonly<Record<string, string>>;
  readonly optionalFields: readonly string[];
  /** The configuration of a tenant of its own, by the provider's id of the instance, without an address. */
  createConfig(id: string): Readonly<Record<string, string>>;
  readonly call: DocumentedCall;
  /** Its public host; null for a self-hosted provider. */
  readonly publicBaseUrl: string | null;
  /** The configuration for the simulator at this address. */
  simulated(url: string, instance: string, secret: string): Readonly<Record<string, string>>;
  /** What is lost of each content; null where it is refused. */
  readonly reduced: Readonly<Record<LossyContent, readonly string[] | null>>;
  readonly subscription: Subscription;
  /** Messages that arrive, one of each kind, as the simulator writes them. */
  readonly examples: readonly InboundExample[];
  /** The same, and what the simulator does not write. */
  readonly documented: readonly InboundExample[];
  /**
   * Members of what the simulator writes that stand in other documents than the examples: reactions, calls,
   * groups, previews, one card, and WhatsApp's own flags of a file.
   */
  readonly writtenElsewhere: readonly string[];
  /** Members of the examples that no record tells, by the end of their path, with the reason. */
  readonly untold: Readonly<Record<string, string>>;
  /** Payloads that each give an event. */
  readonly samples: readonly unknown[];
  /** A message of the contact, now, with these members. */
  toMessage(id: string, members: Json): Json;
  /** A text of the contact. */
  toText(id: string, words: string): Json;
  /** A text of somebody who came by an ad with this headline. */
  toAdMessage(id: string, headline: string): Json;
  /** The contact reacts to a message, or takes it back (null). */
  toReaction(id: string, target: string, emoji: string | null): Json;
  /** What is told of a group's message. */
  toGroupStatus(providerMessageId: string, member: string, hasRead: boolean): Json;
  /** The call that brings a payload to an instance of `createConfig`. */
  toRequest(instanceId: string, payload: unknown): Promise<WebhookRequest>;
}

/** The call of a gateway that shows its secret in the path. */
export function toSecretRequest(
  kind: string,
  instanceId: string,
  payload: unknown,
): Promise<WebhookRequest> {
  const body = new TextEncoder().encode(JSON.stringify(payload));
  return Promise.resolve({ path: `${kind}/${instanceId}/${webhookSecret}`, body, headers: {} });
}
