import type { DeliveryRecord, EndpointRecord, TestOutcome } from "../../model/endpoint_record.ts";
import type { DeliveryStatus } from "../../model/endpoint_states.ts";
import type { EventType } from "../../model/event_types.ts";
import type { Once, RecordedResult } from "./idempotency.ts";
import type { Page, PageRequest } from "./page.ts";
import type { Rpc } from "./rpc.ts";
import type { FormerSeals } from "./tenancy.ts";

export interface WebhooksRpcs {
  create_event_endpoint: Rpc<
    Once<NewEndpoint>,
    RecordedResult<EndpointRecord & KeptSecret>
  >;
  get_event_endpoint: Rpc<EndpointTarget, EndpointRecord>;
  list_event_endpoints: Rpc<PageRequest<{ readonly instanceId: string }>, Page<EndpointRecord>>;
  update_event_endpoint: Rpc<
    EndpointTarget & { readonly changes: EndpointChanges },
    EndpointRecord
  >;
  delete_event_endpoint: Rpc<EndpointTarget, EndpointRecord>;
  rotate_endpoint_secret: Rpc<
    Once<EndpointTarget & { readonly sealedSecret: string; readonly gracePeriodSeconds: number }>,
    RecordedResult<EndpointRecord & KeptSecret>
  >;
  list_event_deliveries: Rpc<DeliveryQuery, DeliveryPage>;
  resend_event_delivery: Rpc<
    Once<{ readonly instanceId: string; readonly deliveryId: string }>,
    RecordedResult<DeliveryRecord>
  >;
  replay_events: Rpc<Once<ReplayRequest>, RecordedResult<{ readonly count: number }>>;
  begin_endpoint_test: Rpc<Once<EndpointTarget>, RecordedTest>;
  finish_endpoint_test: Rpc<
    Once<EndpointTarget & { readonly sequence: number; readonly result: AttemptResult }>,
    RecordedResult<TestOutcome>
  >;
  claim_event_deliveries: Rpc<DeliveryClaimLimits, ClaimedDeliveries>;
  settle_event_deliveries: Rpc<
    { readonly results: readonly SettledDelivery[] },
    { readonly settled: number }
  >;
  list_endpoint_secrets_under_old_keys: Rpc<
    { readonly keyIds: readonly string[]; readonly limit: number },
    FormerSeals<SealedSecrets>
  >;
  replace_endpoint_secrets: Rpc<
    { readonly items: readonly ResealedSecrets[] },
    { readonly replaced: number }
  >;
}

export interface EndpointTarget {
  readonly instanceId: string;
  readonly endpointId: string;
}

export interface NewEndpoint extends EndpointTarget {
  readonly url: string;
  /** Null for all types. */
  readonly types: readonly EventType[] | null;
  readonly description: string | null;
  readonly sealedSecret: string;
}

export interface EndpointChanges {
  readonly url?: string | undefined;
  readonly types?: readonly EventType[] | undefined;
  /** An empty text removes it. */
  readonly description?: string | undefined;
  readonly isActive?: boolean | undefined;
}

/** Only in a replayed result: the secret that the first call returned. */
export interface KeptSecret {
  readonly sealedSecret?: string;
}

/** The end of a page of deliveries. */
export interface DeliveryPageEnd {
  readonly sequence: number;
}

export interface DeliveryQuery extends EndpointTarget {
  readonly status: DeliveryStatus | null;
  readonly limit: number;
  readonly after: DeliveryPageEnd | null;
}

export interface DeliveryPage {
  readonly items: readonly DeliveryRecord[];
  readonly next: DeliveryPageEnd | null;
}

export interface ReplayRequest extends EndpointTarget {
  readonly since: string;
  /** Null for now. */
  readonly until: string | null;
  /** Null for all types that the endpoint takes. */
  readonly types: readonly EventType[] | null;
}

/** Where a delivery goes, and the secrets that sign it. */
export interface EventTarget {
  readonly endpointId: string;
  readonly url: string;
  readonly sealedSecrets: readonly string[];
}

/** What came of one call of an endpoint. */
export interface AttemptResult {
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly answer: string | null;
  readonly retryAfterMs: number | null;
}

/** A test to make, or the outcome of the first call with the same key. */
export type RecordedTest =
  | {
    readonly sequence: number;
    readonly eventId: string;
    readonly body: string;
    readonly target: EventTarget;
  }
  | { readonly replayed: { readonly outcome: TestOutcome } };

export interface DeliveryClaimLimits {
  readonly maxDeliveries: number;
  readonly leaseSeconds: number;
  readonly perEndpoint: number;
  readonly perFailingEndpoint: number;
  /** How many more deliveries an endpoint takes that is being called, by its id. */
  readonly places: Readonly<Record<string, number>>;
}

export interface ClaimedDelivery {
  readonly deliveryId: string;
  readonly claimToken: string;
  readonly endpointId: string;
  readonly eventId: string;
  /** The event as JSON. */
  readonly body: string;
}

export interface ClaimedDeliveries {
  readonly deliveries: readonly ClaimedDelivery[];
  readonly targets: readonly EventTarget[];
}

export interface SettledDelivery extends AttemptResult {
  readonly deliveryId: string;
  readonly claimToken: string;
}

export interface SealedSecrets {
  readonly endpointId: string;
  readonly sealedSecret: string;
  readonly sealedPreviousSecret: string | null;
}

export interface ResealedSecrets extends SealedSecrets {
  readonly formerSecret: string;
  readonly formerPreviousSecret: string | null;
}
