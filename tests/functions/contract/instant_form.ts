/** The form of the instants in an answer (decisions, section 1). */

/** Members whose instants have the offset of the instance's zone (decisions, section 5). */
const zoned: ReadonlySet<string> = new Set(["scheduledFor"]);
/** Members that hold what a caller or a provider has written. */
const foreign: ReadonlySet<string> = new Set([
  "message",
  "content",
  "metadata",
  "evidence",
  "note",
]);

/** Every instant that is in another form than `2026-11-23T06:00:00.000Z`. */
export function listInstantFaults(value: unknown, path = "answer"): string[] {
  if (typeof value === "string") {
    const name = path.split(".").at(-1) ?? "";
    const isInstant = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value) && !zoned.has(name);
    return isInstant && !/\.\d{3}Z$/.test(value) ? [`${path}: ${value}`] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .filter(([name]) => !foreign.has(name))
    .flatMap(([name, member]) => listInstantFaults(member, `${path}.${name}`));
}
