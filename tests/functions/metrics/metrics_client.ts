/** A scrape of the function `metrics` beside a messaging stack, read by the strict reader. */

import { createMetricsApp } from "../../../functions/metrics/app.ts";
import { parseExposition } from "../../support/exposition.ts";
import { type MessagingStack, secretKey } from "../../support/stack/messaging_stack.ts";
import { callApp } from "../../support/stack/app_calls.ts";

/** One scrape, of a new snapshot. */
export interface Scrape {
  readonly response: Response;
  readonly text: string;
  readonly families: ReturnType<typeof parseExposition>;
  /** The value of the series with exactly these labels; undefined when there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

/** Scrapes. Lets the former snapshot age first, unless `isCached`. */
export async function scrape(
  { admin, services }: MessagingStack,
  { isCached = false } = {},
): Promise<Scrape> {
  if (!isCached) await admin`update messaging.metric_snapshots set fresh_until = '-infinity'`;
  const app = createMetricsApp({ ...services, secretKeys: { default: secretKey } });
  const response = await callApp(app, "/metrics", { headers: { apikey: secretKey } });
  const text = await response.text();
  const families = parseExposition(text);
  const samples = [...families.values()].flatMap((family) => family.samples);
  const describe = (labels: Readonly<Record<string, string>>): string =>
    JSON.stringify(Object.entries(labels).sort());
  return {
    response,
    text,
    families,
    value: (name, labels = {}) =>
      samples.find((sample) => sample.name === name && describe(sample.labels) === describe(labels))
        ?.value,
  };
}
