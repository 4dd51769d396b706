/**
 * Prints the functions' log: JSON lines as on the platform, or readable lines on a terminal. Hides the
 * stack's own set-up calls and dispatcher runs without work.
 */
import { toVisibleLine } from "../../shared/model/visible_text.ts";
import { isWorthPrinting } from "./idle_runs.ts";

export interface RequestLog {
  /** Shows requests from now on. Called once the stack has printed its introduction. */
  open(): void;
}

/**
 * Replaces `console.log` and `console.error`, which the functions log with. Shows errors at once, and
 * requests after `open()`.
 */
export function interceptConsole(
  terminal: { readonly stdout: boolean; readonly stderr: boolean },
): RequestLog {
  let isOpen = false;
  const { log, error } = console;
  const replace = (
    print: typeof log,
    isTerminal: boolean,
    isShown: (line: string) => boolean,
  ) =>
  (...values: unknown[]): void => {
    const [line] = values;
    if (values.length !== 1 || typeof line !== "string") return print(...values);
    if (isShown(line)) print(isTerminal ? toVisibleLine(toReadableLine(line, new Date())) : line);
  };
  // deno-lint-ignore no-console
  console.log = replace(log, terminal.stdout, (line) => isWorthPrinting(line) && isOpen);
  // deno-lint-ignore no-console
  console.error = replace(error, terminal.stderr, () => true);
  return { open: () => isOpen = true };
}

/** Fields that a readable line shows in columns, or omits. */
const requestColumns: ReadonlySet<string> = new Set([
  ...["level", "event", "requestId", "function", "method", "route", "status", "durationMs"],
]);

/**
 * Formats a JSON log line for a terminal, with local time. Returns any other line unchanged.
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

/** The route below the function's path, without a trailing slash. */
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
