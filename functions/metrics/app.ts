import type { Context, Hono } from "hono";
import type { Database } from "../../shared/database/database.ts";
import { createApp } from "../../shared/http/create_app.ts";
import { createSecretKeyGuard } from "../../shared/http/secret_key_guard.ts";
import type { MetricSample } from "../../shared/database/rpcs/metrics.ts";
import { loadCounters } from "../../shared/runtime/load_counters.ts";
import { listReads } from "../../shared/runtime/read_counters.ts";
import type { Log } from "../../shared/runtime/log.ts";
import { expositionType, formatExposition } from "./exposition.ts";
import { metricFamilies } from "./families.ts";

export interface MetricsServices {
  readonly database: Database;
  readonly secretKeys: Readonly<Record<string, string>>;
  readonly log: Log;
}

/** Names this process among those that share an address: a scrape reaches any of them. */
const process = crypto.randomUUID().slice(0, 8);

/** What this process has counted itself. */
function listOwnSamples(): MetricSample[] {
  return [
    ...loadCounters.read().map(([event, count]): MetricSample => [
      "messaging_process_load_events_total",
      { event, process },
      count,
    ]),
    ...listReads().map(([answer, count]): MetricSample => [
      "messaging_process_reads_total",
      { answer, process },
      count,
    ]),
  ];
}

/** GET /functions/v1/metrics: the whole service in numbers, for Prometheus. */
export function createMetricsApp({ database, secretKeys, log }: MetricsServices): Hono {
  const handle = async (context: Context): Promise<Response> => {
    const { samples } = await database.rpc("read_metrics", {});
    return context.body(formatExposition(metricFamilies, [...samples, ...listOwnSamples()]), 200, {
      "Content-Type": expositionType,
      "Cache-Control": "no-store",
    });
  };
  return createApp({
    slug: "metrics",
    log,
    database,
    routes: [{ method: "GET", path: "/", handlers: [createSecretKeyGuard(secretKeys), handle] }],
  });
}
