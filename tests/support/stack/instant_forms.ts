/** The form of an answer's instants, wherever they stand in it (decisions, section 1). */

const anyInstant = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/;
const inUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const withOffset = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/;

/** What callers and other parties write, which is answered as they wrote it. */
const foreign: ReadonlySet<string> = new Set([
  ...["metadata", "customLabels", "message", "content", "variables", "collectedData"],
  ...["externalContext", "payload", "result", "example"],
]);

/**
 * Every instant of the answer in another form than the one of its kind: UTC with milliseconds and `Z`; of
 * `scheduledFor` the offset of the instance's zone, but for batches, whose answers are in UTC throughout.
 */
export function listInstantFaults(answer: unknown, slug: string, path = "answer"): string[] {
  if (typeof answer === "string") {
    const isZoned = path.endsWith(".scheduledFor") && slug !== "batches-api";
    const isRight = (isZoned ? withOffset : inUtc).test(answer);
    return anyInstant.test(answer) && !isRight ? [`${path}: ${answer}`] : [];
  }
  if (typeof answer !== "object" || answer === null) return [];
  return Object.entries(answer).filter(([name]) => !foreign.has(name))
    .flatMap(([name, member]) => listInstantFaults(member, slug, `${path}.${name}`));
}
