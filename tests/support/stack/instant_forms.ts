/** The form of an answer's instants, wherever they stand in it (decisions, section 1). */

const anyInstant = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/;
const inUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const withOffset = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/;

/** How the service names its instants. Other members may hold what others wrote, which stays as it is. */
const instantName = /(?:At|Until|For|Since)$|^(?:at|since|timestamp|until)$/;

/** Objects that callers and other parties write, with any names. */
const foreign: ReadonlySet<string> = new Set([
  ...["metadata", "customLabels", "content", "variables", "collectedData"],
  ...["externalContext", "payload", "result", "example"],
]);

/** Functions whose answers have no instant in the instance's zone. */
const inUtcThroughout: ReadonlySet<string> = new Set(["batches-api", "messages-context"]);

/**
 * Every instant of the answer in another form than the one of its kind: UTC with milliseconds and `Z`; of
 * `scheduledFor` the offset of the instance's zone, but for batches and the history, whose answers are in UTC
 * throughout.
 */
export function listInstantFaults(answer: unknown, slug: string, path = "answer"): string[] {
  if (typeof answer === "string") {
    const isZoned = path.endsWith(".scheduledFor") && !inUtcThroughout.has(slug);
    const isRight = (isZoned ? withOffset : inUtc).test(answer);
    const isInstant = instantName.test(path.slice(path.lastIndexOf(".") + 1)) &&
      anyInstant.test(answer);
    return isInstant && !isRight ? [`${path}: ${answer}`] : [];
  }
  if (typeof answer !== "object" || answer === null) return [];
  return Object.entries(answer).filter(([name]) => !foreign.has(name))
    .flatMap(([name, member]) => listInstantFaults(member, slug, `${path}.${name}`));
}
