/**
 * Hides the log lines of dispatcher runs that found no work, and of the calls that begin runs: a run
 * tells what it has done when it ends. Without this an idle stack prints two lines every 9.5 seconds.
 * Every other line is shown.
 */

/** Whether to show a line of the functions' log. */
export function isWorthPrinting(line: string): boolean {
  // Parses few lines: under load every request logs one.
  if (line.includes('"dispatch_completed"')) {
    const entry = readEntry(line);
    return entry["event"] !== "dispatch_completed" || !isIdle(entry);
  }
  if (!line.includes('"dispatch-queue"')) return true;
  const { event, function: slug, status } = readEntry(line);
  return event !== "request_handled" || slug !== "dispatch-queue" || status !== 200;
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
