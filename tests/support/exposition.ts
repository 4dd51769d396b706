/**
 * A strict reader of Prometheus' text exposition format 0.0.4, written from its specification and
 * from what `promtool check metrics` demands: it refuses what a lenient scraper would let pass.
 */

export interface ExposedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ExposedFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: ExposedSample[];
}

const namePattern = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const head = new RegExp(`^# (HELP|TYPE) (${namePattern}) (.+)$`);
const sampleLine = new RegExp(`^(${namePattern})(?:\\{(.*)\\})? (\\S+)$`);
const labelPair = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,(?=.)|$)/;
const number = /^(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-]Inf|NaN)$/;
const types = ["counter", "gauge", "histogram"];

/** Reads an exposition. @throws an error that names the first fault. */
export function parseExposition(text: string): ReadonlyMap<string, ExposedFamily> {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const families = new Map<string, ExposedFamily>();
  const series = new Set<string>();
  let help: { readonly name: string; readonly text: string } | null = null;
  let current: ExposedFamily | null = null;
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind, name = "", rest = ""] = head.exec(line) ?? [];
    if (kind === "HELP") {
      if (help !== null) throw new Error(`two HELP lines in a row: ${line}`);
      help = { name, text: rest };
    } else if (kind === "TYPE") {
      if (help?.name !== name) throw new Error(`no HELP before: ${line}`);
      if (families.has(name)) throw new Error(`a family that comes twice: ${line}`);
      if (!types.includes(rest)) throw new Error(`an unknown type: ${line}`);
      current = { name, type: rest, help: help.text, samples: [] };
      families.set(name, current);
      help = null;
    } else {
      const sample = parseSample(line);
      if (current === null || help !== null || !isOf(current, sample.name)) {
        throw new Error(`a sample outside its family: ${line}`);
      }
      const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      if (series.has(key)) throw new Error(`a series that comes twice: ${line}`);
      series.add(key);
      current.samples.push(sample);
    }
  }
  for (const family of families.values()) checkFamily(family);
  return families;
}

function parseSample(line: string): ExposedSample {
  const [, name, labelText = "", value = ""] = sampleLine.exec(line) ?? [];
  if (name === undefined || !number.test(value)) throw new Error(`not a sample: ${line}`);
  const labels: Record<string, string> = {};
  let rest = labelText;
  while (rest !== "") {
    const [pair, label = "", text = ""] = labelPair.exec(rest) ?? [];
    if (pair === undefined || label in labels) throw new Error(`invalid labels: ${line}`);
    labels[label] = text.replace(/\\(.)/g, (_, char) => char === "n" ? "\n" : char);
    rest = rest.slice(pair.length);
  }
  return { name, labels, value: Number(value.replace("Inf", "Infinity")) };
}

function isOf({ name, type }: ExposedFamily, sample: string): boolean {
  if (type !== "histogram") return sample === name;
  return [`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(sample);
}

function checkFamily(family: ExposedFamily): void {
  const { name, type, samples } = family;
  if (samples.length === 0) throw new Error(`${name} has no sample`);
  if ((type === "counter") !== name.endsWith("_total")) throw new Error(`${name} is a ${type}`);
  if (type === "counter" && samples.some(({ value }) => !(value >= 0))) {
    throw new Error(`${name} is below 0`);
  }
  if (type === "histogram") checkHistogram(family);
}

/** Buckets that include those below, in order, the last one `+Inf` and equal to the count. */
function checkHistogram({ name, samples }: ExposedFamily): void {
  for (const count of samples.filter((sample) => sample.name === `${name}_count`)) {
    const isSame = (labels: Readonly<Record<string, string>>): boolean =>
      Object.entries(count.labels).every(([label, text]) => labels[label] === text);
    const buckets = samples.filter((sample) =>
      sample.name === `${name}_bucket` && isSame(sample.labels)
    );
    const bounds = buckets.map(({ labels }) => Number(labels["le"]?.replace("Inf", "Infinity")));
    const values = buckets.map(({ value }) => value);
    const isRising = (list: readonly number[], gap: number): boolean =>
      list.every((value, place) => place === 0 || value - (list[place - 1] ?? 0) >= gap);
    if (!isRising(bounds, Number.MIN_VALUE)) throw new Error(`${name}: bounds do not rise`);
    if (!isRising(values, 0)) throw new Error(`${name}: buckets do not add up`);
    if (bounds.at(-1) !== Infinity) throw new Error(`${name} has no bucket +Inf`);
    if (values.at(-1) !== count.value) throw new Error(`${name}: +Inf is not the count`);
    if (!samples.some((sample) => sample.name === `${name}_sum` && isSame(sample.labels))) {
      throw new Error(`${name} has no sum`);
    }
  }
}
