import { parseArgs } from "node:util";
import { StartError } from "../host/start_error.ts";

/** What `deno task serve` is told to do. */
export type ServeCommand =
  | { readonly name: "serve"; readonly processes: number }
  /** One of several processes, started by the first. */
  | { readonly name: "work" }
  | { readonly name: "migrate"; readonly contract: boolean };

const usage = `Usage:
  deno task serve [--processes <1 to 64>]   serves until SIGTERM
  deno task serve migrate [--contract]      brings the database of DATABASE_URL to this version`;

const maxProcesses = 64;

/** Starts one of several processes. Not for people. */
export const workArgument = "work";

/**
 * Reads the command line.
 *
 * @throws {StartError} with the usage for anything unknown.
 */
export function readServeCommand(args: readonly string[]): ServeCommand {
  const { values, positionals } = parse(args);
  const [name = "serve", ...more] = positionals;
  if (more.length > 0) throw new StartError(usage);
  if (name === "migrate" && values.processes === undefined) {
    return { name, contract: values.contract === true };
  }
  if (values.contract !== undefined) throw new StartError(usage);
  if (name === workArgument && values.processes === undefined) return { name };
  if (name !== "serve") throw new StartError(usage);
  const processes = Number(values.processes ?? 1);
  if (!Number.isInteger(processes) || processes < 1 || processes > maxProcesses) {
    throw new StartError(`--processes takes a number from 1 to ${maxProcesses}.`);
  }
  return { name: "serve", processes };
}

function parse(
  args: readonly string[],
): { values: { processes?: string; contract?: boolean }; positionals: string[] } {
  try {
    return parseArgs({
      args: [...args],
      options: { processes: { type: "string" }, contract: { type: "boolean" } },
      allowPositionals: true,
    });
  } catch (cause) {
    throw new StartError(usage, { cause });
  }
}
