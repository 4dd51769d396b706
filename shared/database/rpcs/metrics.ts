import type { InstanceHold, ShownHold } from "../../model/hold.ts";
import type { EmptyRequest, Rpc } from "./rpc.ts";

export interface MetricsRpcs {
  get_service_health: Rpc<EmptyRequest, ServiceHealth>;
  count_unknown_fields: Rpc<
    { readonly provider: string; readonly fields: readonly string[] },
    Record<string, never>
  >;
  read_metrics: Rpc<EmptyRequest, { readonly samples: readonly MetricSample[] }>;
}

/** One sample of the metrics: its name, its labels and its value. */
export type MetricSample = readonly [
  name: string,
  labels: Readonly<Record<string, string>>,
  value: number,
];

/** A queue's or the outbox' oldest due row, with its instant in UTC. */
interface OldestDue {
  readonly oldestDueAt: string | null;
  readonly oldestDueSeconds: number | null;
}

/** Whether the service sends its messages, over all instances. */
export interface ServiceHealth {
  readonly status: "ok" | "late" | "held" | "disconnected";
  readonly checkedAt: string;
  readonly instances: {
    readonly total: number;
    readonly held: number;
    readonly disconnected: number;
    readonly late: number;
    readonly unconfirmed: number;
  };
  readonly messages: OldestDue & {
    readonly queueDepth: number;
    readonly inFlight: number;
    readonly unconfirmed: number;
  };
  readonly outbox: OldestDue & { readonly pending: number; readonly dead: number };
  readonly database: { readonly sizeBytes: number };
  readonly attention: readonly (ShownHold & {
    readonly instanceId: string;
    readonly name: string;
    readonly status: "ok" | "late" | "held" | "disconnected";
    readonly heldBy: InstanceHold | null;
    readonly oldestDueSeconds: number | null;
    readonly queueDepth: number;
    readonly unconfirmed: number;
  })[];
}
