import type { MetricSample } from "../../shared/database/rpcs/metrics.ts";
import type { MetricFamily } from "./families.ts";

/** The media type of Prometheus' text exposition format. */
export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

const histogramSuffixes = ["_bucket", "_sum", "_count"];

/**
 * Writes samples in Prometheus' text format, the samples of a family together. Families without a
 * sample are left out, and so are samples of no family.
 */
export function formatExposition(
  families: readonly MetricFamily[],
  samples: readonly MetricSample[],
): string {
  const linesByName = new Map<string, string[]>();
  for (const sample of samples) {
    const lines = linesByName.get(sample[0]) ?? [];
    lines.push(formatSample(sample));
    linesByName.set(sample[0], lines);
  }
  return families.map((family) => {
    const lines = sampleNames(family).flatMap((name) => linesByName.get(name) ?? []);
    return lines.length === 0 ? "" : `${formatHead(family)}${lines.join("")}`;
  }).join("");
}

/** The names of a family's samples. */
export function sampleNames({ name, type }: MetricFamily): readonly string[] {
  return type === "histogram" ? histogramSuffixes.map((suffix) => name + suffix) : [name];
}

function formatHead({ name, type, help }: MetricFamily): string {
  const escaped = help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return `# HELP ${name} ${escaped}\n# TYPE ${name} ${type}\n`;
}

function formatSample([name, labels, value]: MetricSample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`;
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
