/**
 * What the stack shows of the functions' log: JSON lines, as the platform collects them, or on a
 * terminal one readable line for each. Lines of the stack's own set-up calls, and of dispatcher runs
 * that found nothing to do, are left out.
 */
import { createIdleRunFilter } from "./idle_runs.ts";

export interface RequestLog {
  /** From now on requests are shown: the stack has introduced itself. */
  open(): void;
}

/**
 * Takes over `console.log` and `console.error`, through which the functions log. Errors are shown at
 * once, requests from `open()` on.
 */
export function takeOverConsole(
  terminal: { readonly stdout: boolean; readonly stderr: boolean },
): RequestLog {
  let isOpen = false;
  const isWorthPrinting = createIdleRunFilter();
  const { log, error } = console;
  const replace = (
    print: typeof log,
    isTerminal: boolean,
    isShown: (line: string) => boolean,
  ) =>
  (...values: unknown[]): void => {
    const [line] = values;
    if (values.length !== 1 || typeof line !== "string") return print(...values);
    if (isShown(line)) print(isTerminal ? toReadableLine(line, new Date()) : line);
  };
  // deno-lint-ignore no-console
  console.log = replace(log, terminal.stdout, (line) => isWorthPrinting(line) && isOpen);
  // deno-lint-ignore no-console
  console.error = replace(error, terminal.stderr, () => true);
  return { open: () => isOpen = true };
}

/** Fields of a request that its readable line shows in columns, or not at all. */
const requestColumns: ReadonlySet<string> = new Set([
  ...["level", "event", "requestId", "function", "method", "route", "status", "durationMs"],
]);

/**
 * A JSON line of the functions' log as a person reads it, in local time; what is no such line stays
 * as it is.
 *
 *     14:03:22  200  POST    send-message  43 ms
 *     14:03:25  401  GET     messages-api/queue  3 ms  errorCode=invalid_client_token
 *     14:03:26  dispatch_completed  durationMs=12 sent=1
 */
export function toReadableLine(line: string, now: Date): string {
  const entry = readEntry(line);
  if (entry === null) return line;
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()]
    .map((part) => String(part).padStart(2, "0")).join(":");
  if (entry["event"] !== "request_handled") {
    const isError = entry["level"] === "error";
    const event = `${isError ? "ERROR  " : ""}${entry["event"]}`;
    return [time, event, describeFields(entry, new Set(["level", "event"]))].join("  ").trimEnd();
  }
  const path = `${entry["function"]}${readPath(entry)}`;
  const method = String(entry["method"]).padEnd(6);
  const columns = [time, entry["status"], method, path, `${entry["durationMs"]} ms`];
  return [...columns, describeFields(entry, requestColumns)].join("  ").trimEnd();
}

/** The route below the function's own path, without a slash at its end. */
function readPath(entry: Readonly<Record<string, unknown>>): string {
  const route = String(entry["route"] ?? "");
  const own = `/${entry["function"]}`;
  const path = route.startsWith(own) ? route.slice(own.length) : "";
  return path.replace(/\/\*?$/, "");
}

function describeFields(
  entry: Readonly<Record<string, unknown>>,
  left: ReadonlySet<string>,
): string {
  return Object.entries(entry).filter(([name, value]) => !left.has(name) && value !== null)
    .map(([name, value]) => `${name}=${value}`).join(" ");
}

function readEntry(line: string): Record<string, unknown> | null {
  if (!line.startsWith("{")) return null;
  try {
    const entry: unknown = JSON.parse(line);
    const isEntry = typeof entry === "object" && entry !== null && "event" in entry;
    return isEntry ? entry as Record<string, unknown> : null;
  } catch {
    return null;
  }
}
