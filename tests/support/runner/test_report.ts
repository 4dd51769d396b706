/** Reads durations and failures from a report of `deno test --junit-path`. */

export interface TestResult {
  readonly name: string;
  readonly file: string;
  readonly seconds: number;
  /** What a failed test said. */
  readonly failure?: string;
}

/** Reads a report. The steps of a test count as part of the test. */
export function readTestResults(report: string): TestResult[] {
  const cases = report.matchAll(/<testcase\s([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs);
  return Array.from(cases, ([, attributes = "", body = ""]) => {
    const values = new Map(
      Array.from(attributes.matchAll(/([\w-]+)="([^"]*)"/g), ([, key = "", value = ""]) => [
        key,
        unescapeXml(value),
      ]),
    );
    const failure = /<failure[^>]*>(.*?)<\/failure>/s.exec(body)?.[1];
    return {
      name: values.get("name") ?? "",
      file: (values.get("classname") ?? "").replace(/^\.\//, ""),
      seconds: Number(values.get("time")),
      ...(failure === undefined ? {} : { failure: unescapeXml(failure) }),
    };
  });
}

/** The slowest tests, a line each, slowest first. */
export function describeSlowest(results: readonly TestResult[], count = 10): string[] {
  return results
    .filter(({ seconds }) => Number.isFinite(seconds))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ seconds, file, name }) => `${seconds.toFixed(1).padStart(6)} s  ${file}  ${name}`);
}

/** The failed tests, each with the first lines of what it said. */
export function describeFailures(results: readonly TestResult[], lines = 40): string[] {
  return results.flatMap(({ file, name, failure }) =>
    failure === undefined
      ? []
      : [`${file}  ${name}`, ...failure.split("\n").slice(0, lines).map((line) => `    ${line}`)]
  );
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
