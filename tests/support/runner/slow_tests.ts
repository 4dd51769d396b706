/** Reads test durations from a report of `deno test --junit-path`. */

export interface TestTime {
  readonly name: string;
  readonly file: string;
  readonly seconds: number;
}

/** Reads a report. The steps of a test count as part of the test. */
export function readTestTimes(report: string): TestTime[] {
  const times: TestTime[] = [];
  for (const [, attributes = ""] of report.matchAll(/<testcase\s([^>]*?)\/?>/g)) {
    const values = new Map(
      Array.from(attributes.matchAll(/([\w-]+)="([^"]*)"/g), ([, key = "", value = ""]) => [
        key,
        unescapeXml(value),
      ]),
    );
    const seconds = Number(values.get("time"));
    const file = (values.get("classname") ?? "").replace(/^\.\//, "");
    if (Number.isFinite(seconds)) times.push({ name: values.get("name") ?? "", file, seconds });
  }
  return times;
}

/** The slowest tests, a line each, slowest first. */
export function describeSlowest(times: readonly TestTime[], count = 10): string[] {
  return [...times]
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ seconds, file, name }) => `${seconds.toFixed(1).padStart(6)} s  ${file}  ${name}`);
}

function unescapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&apos;": "'",
    "&#39;": "'",
    "&amp;": "&",
  };
  return text.replaceAll(/&(?:lt|gt|quot|apos|#39|amp);/g, (entity) => entities[entity] ?? entity);
}
