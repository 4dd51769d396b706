import type { Operation } from "../../shared/openapi/operation.ts";

/** The operations of metrics (decisions, section 9). */
export const operations: readonly Operation[] = [{
  method: "GET",
  path: "/",
  operationId: "readMetrics",
  tag: "Administration",
  summary: "Read the service's metrics for Prometheus",
  description:
    "Gauges, counters and a histogram over all instances, in Prometheus' text exposition format 0.0.4. Labels hold providers, states and instance ids, never personal data. At most 2,000 series, whatever the number of instances: the hundred that need attention most have series of their own, all others are counted together as `other`. The numbers are at most 15 seconds old.",
  access: "secretKey",
  success: {
    description: "The metrics, one sample a line.",
    mediaType: "text/plain",
  },
  errors: ["service_unavailable"],
  examples: [],
}];
