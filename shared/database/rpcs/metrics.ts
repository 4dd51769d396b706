import type { ServiceHealth } from "../../model/health_record.ts";
import type { EmptyRequest, Rpc } from "./rpc.ts";

export interface MetricsRpcs {
  get_service_health: Rpc<EmptyRequest, ServiceHealth>;
  count_deprecated_call: Rpc<
    { readonly names: readonly string[]; readonly tokenId: string | null },
    Record<string, never>
  >;
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
