import { toVisibleJson } from "../model/visible_text.ts";
import { currentTraceparent } from "./trace_context.ts";

/** Fields of a log line: ids, durations, codes and counts, never content. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Where log lines go. `error` is for defects and for what an operator must handle. */
export interface Log {
  info(event: string, fields: LogFields): void;
  error(event: string, fields: LogFields): void;
}

/**
 * Writes JSON lines to the console, which the platform collects. The lines of a request that came
 * with a valid `traceparent` carry it, also those of its work after the response.
 */
export const consoleLog: Log = {
  info(event: string, fields: LogFields): void {
    // deno-lint-ignore no-console
    console.log(toLine("info", event, fields));
  },
  error(event: string, fields: LogFields): void {
    // deno-lint-ignore no-console
    console.error(toLine("error", event, fields));
  },
};

function toLine(level: string, event: string, fields: LogFields): string {
  return toVisibleJson({ level, event, traceparent: currentTraceparent(), ...fields });
}

/**
 * The fields that describe an unexpected error: its class, its code and where it was thrown. Leaves
 * the message out, because it may quote a phone number, a text or a credential.
 */
export function describeDefect(error: unknown): LogFields {
  if (!(error instanceof Error)) return { errorName: typeof error };
  const code = (error as { code?: unknown }).code;
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return {
    errorName: error.name,
    errorCode: typeof code === "string" || typeof code === "number" ? code : undefined,
    errorAt: frames.slice(0, 4).map((line) => line.trim()).join(" < "),
    causeName: error.cause instanceof Error ? error.cause.name : undefined,
  };
}
