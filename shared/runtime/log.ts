/** One structured line; values are ids, durations, codes and counts, never content. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Where log lines go. `error` is for defects and what a person has to look after. */
export interface Log {
  info(event: string, fields: LogFields): void;
  error(event: string, fields: LogFields): void;
}

/** Writes JSON lines to the console: what the platform collects. */
export const consoleLog: Log = {
  info(event: string, fields: LogFields): void {
    // deno-lint-ignore no-console
    console.log(JSON.stringify({ level: "info", event, ...fields }));
  },
  error(event: string, fields: LogFields): void {
    // deno-lint-ignore no-console
    console.error(JSON.stringify({ level: "error", event, ...fields }));
  },
};

/**
 * What a log line may say of a defect: the error's class, its code and where it was thrown. Never
 * its message, which may quote a phone number, a text or a credential.
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
