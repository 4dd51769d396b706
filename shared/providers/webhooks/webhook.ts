/** A provider's webhook: its address, its credential and its reader. */
import type { Bytes } from "../../model/bytes.ts";
import type { KnownFields } from "./known_fields.ts";
import type { ProviderEvent } from "./provider_event.ts";

/** What a call of a provider at an instance's webhook address shows before its body is read. */
export interface WebhookHead {
  readonly header: (name: string) => string | undefined;
  /** A parameter of the address, by its name in `webhook.path`; empty if absent. */
  readonly pathParameter: (name: string) => string;
}

/** One call of a provider at an instance's webhook address. */
export interface WebhookCall extends WebhookHead {
  /** The received bytes, without files if the provider embeds them. */
  readonly body: Bytes;
}

/**
 * Reads all events of one payload, in its order. Malformed and unknown parts yield no event. Never
 * throws. Given the provider's own id of the instance, skips events of other instances: a provider
 * may send the events of a whole account to one address. Each item is read when its event is asked for, and is
 * undefined where it tells nothing: a payload of 3 MB holds hundreds of thousands.
 */
export type ReadEvents = (
  payload: unknown,
  gatewayInstanceId?: string | undefined,
) => Iterable<ProviderEvent | undefined>;

/** The part of a delivery that concerns one number or one account. */
export interface DeliveryPart {
  /** The provider's own id of the instance; null if the part concerns an account. */
  readonly gatewayInstanceId: string | null;
  readonly accountId: string | undefined;
  /** The provider's ids of the account's templates whose status this part changes. */
  readonly templateIds: readonly string[];
  /** Whether it says something about every instance of the account. */
  readonly concernsAccount: boolean;
}

/** How to split a delivery that may hold the events of several instances. */
export interface DeliveryRouting {
  /** The parts of a payload, in its order. Never throws. */
  split(payload: unknown): readonly DeliveryPart[];
  /** The payload reduced to parts that `split` returned for it. */
  join(payload: unknown, parts: readonly DeliveryPart[]): Readonly<Record<string, unknown>>;
}

/** The webhook of a provider, in terms of its configuration. */
export interface WebhookDefinition<Config> {
  /** What follows `/<kind>/:instanceId` in the address, in the router's notation. */
  readonly path: string;
  /** The error of a call without the instance's credential. */
  readonly refusal: "invalid_webhook_signature" | "invalid_webhook_secret";
  /** Whether payloads may hold files as base64. They are left out before the size is checked. */
  readonly embedsFiles: boolean;
  /**
   * Whether the call shows the instance's credential, as far as its head can show it. Otherwise the body
   * is not read.
   */
  checkHead(config: Config, head: WebhookHead): Promise<boolean>;
  /** The same for the body. Absent if the head shows the whole credential. */
  checkBody?(config: Config, call: WebhookCall): Promise<boolean>;
  /**
   * Answers the GET by which a provider verifies the address before it uses it: the text to answer
   * with, or null for a wrong credential. Absent if the provider does not verify addresses.
   */
  answerChallenge?(
    config: Config,
    query: Readonly<Record<string, string>>,
  ): Promise<string | null>;
  /** Absent if every delivery concerns the instance of its address. */
  readonly routing?: DeliveryRouting & {
    /** The account of an instance; undefined where its configuration names none. */
    accountIdOf(config: Config): string | undefined;
  };
  /** What the provider sends by name, read and ignored. */
  readonly knownFields: KnownFields;
  /** Loads the reader of events: only the functions that receive events pay for it. */
  loadEventReader(): Promise<ReadEvents>;
}

/** The webhook of one instance: a `WebhookDefinition` with the instance's configuration. */
export interface WebhookReceiver {
  readonly gatewayInstanceId: string | null;
  readonly accountId: string | undefined;
  /** See `WebhookDefinition`; true for a body that shows no credential. */
  checkHead(head: WebhookHead): Promise<boolean>;
  checkBody(call: WebhookCall): Promise<boolean>;
  /** See `WebhookDefinition`; null if the provider does not verify addresses. */
  answerChallenge(query: Readonly<Record<string, string>>): Promise<string | null>;
}

/** The webhook of a provider for callers that do not know its configuration type. */
export interface Webhook extends
  Pick<
    WebhookDefinition<never>,
    "path" | "refusal" | "embedsFiles" | "knownFields" | "loadEventReader"
  > {
  readonly hasChallenge: boolean;
  /** Whether only the whole body shows the credential: until then its sender may be anybody. */
  readonly signsBody: boolean;
  readonly routing: DeliveryRouting | null;
  /**
   * The webhook of an instance, from its stored configuration.
   *
   * @throws Error when the configuration does not fit: a defect, it was checked when written.
   */
  open(config: unknown): WebhookReceiver;
}
