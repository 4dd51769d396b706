/**
 * At rest the scheduler's dispatcher runs would fill the terminal: two lines each, several times in
 * five seconds, that say that nothing was there to do. Those lines are left out; whatever a run did,
 * and every other line, is printed as it is.
 */

/** Says of each line of the functions' log, in its order, whether it tells anything. */
export function createIdleRunFilter(): (line: string) => boolean {
  const idleRequestIds = new Set<unknown>();
  return (line) => {
    const entry = readEntry(line);
    if (entry["event"] === "dispatch_completed" && isIdle(entry)) {
      idleRequestIds.add(entry["requestId"]);
      return false;
    }
    const isOfIdleRun = entry["event"] === "request_handled" &&
      idleRequestIds.delete(entry["requestId"]);
    return !isOfIdleRun || entry["status"] !== 200;
  };
}

function isIdle(run: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(run).every(([name, value]) =>
    typeof value !== "number" || value === 0 || name === "durationMs"
  );
}

function readEntry(line: string): Record<string, unknown> {
  if (!line.startsWith("{")) return {};
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
