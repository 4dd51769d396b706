import type { ConnectionState, WebhookState } from "../../model/connection.ts";
import type { ToldAllowance } from "../../model/allowance.ts";
import type { SealedInstance } from "../../model/instance.ts";
import type { Grouped, Rpc } from "./rpc.ts";

export interface InboundRpcs {
  find_webhook_instance: Rpc<
    { readonly provider: string; readonly instanceRef: string },
    { readonly instance: SealedInstance | null }
  >;
  find_webhook_targets: Rpc<
    WebhookTargetsRequest,
    { readonly instances: readonly WebhookTarget[] }
  >;
  note_typing: Rpc<
    {
      readonly instanceId: string;
      readonly sealedProviderConfig: string;
      readonly addresses: readonly string[];
    },
    RecordedEvents
  >;
  record_provider_events: Rpc<RecordEventsRequest, RecordedEvents>;
  record_provider_event_calls: Grouped<InboundRpcs["record_provider_events"]>;
  get_connection_target: Rpc<{ readonly instanceId: string }, ConnectionTarget>;
  note_connection: Rpc<NoteConnectionRequest, NotedConnection>;
  note_webhooks: Rpc<NoteWebhooksRequest, { readonly noted: boolean }>;
}

/** With which provider and credentials an instance's connection is asked for. */
export interface ConnectionTarget {
  readonly provider: string;
  readonly sealedProviderConfig: string;
  readonly configureWebhooks: boolean;
  /** Null while nobody has asked. */
  readonly webhooksState: WebhookState | null;
}

export interface NoteWebhooksRequest {
  readonly instanceId: string;
  /** The credentials that the provider was asked with. */
  readonly sealedProviderConfig: string;
  readonly state: WebhookState;
  /** Without secrets. */
  readonly url: string | null;
}

export interface NoteConnectionRequest {
  readonly instanceId: string;
  /** The credentials that the provider was asked with. */
  readonly sealedProviderConfig: string;
  readonly state: ConnectionState;
  /** The session's number, in digits; null where it is not told. */
  readonly phone: string | null;
  /** What the channel said that the number may do; null for nothing. */
  readonly allowance: ToldAllowance | null;
}

/** What is known of a connection beside the provider's answer. */
export interface NotedConnection {
  readonly since: string | null;
  /** Null where the session's number is not known. */
  readonly isExpectedPhone: boolean | null;
}

export interface WebhookTargetsRequest {
  readonly provider: string;
  readonly gatewayInstanceIds: readonly string[];
  readonly providerTemplateIds: readonly string[];
  /** An instance: the others of its workspace, which may share its account; null for none. */
  readonly accountOf: string | null;
}

/** An instance that an event of one app may concern. */
export interface WebhookTarget {
  readonly instanceId: string;
  readonly gatewayInstanceId: string;
  readonly sealedProviderConfig: string;
}

export interface RecordedEvents {
  /** How many events changed something; null where the credentials have been replaced. */
  readonly recorded: number | null;
}

export interface RecordEventsRequest {
  readonly instanceId: string;
  /** The stored credentials that the delivery was verified with. */
  readonly sealedProviderConfig: string;
  /** The body's text; null for further events of a payload that is stored already. */
  readonly payload: string | null;
  /** Events of shared/providers/webhooks/provider_event.ts, with their content as it is stored. */
  readonly events: readonly Readonly<Record<string, unknown>>[];
}
