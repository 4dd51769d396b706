import { parseArgs } from "node:util";
import { StartError } from "../host/start_error.ts";

/** What `deno task serve` is told to do. */
export type ServeCommand =
  | { readonly name: "serve"; readonly processes: number; readonly console: boolean }
  /** One of several processes, started by the first. */
  | {
    readonly name: "work";
    readonly processes: number;
    readonly console: boolean;
    /** Where it reports that it lives: see `sendHeartbeats`. */
    readonly heartbeatPort: number;
  }
  | { readonly name: "migrate"; readonly contract: boolean };

const usage = `Usage:
  deno task serve [--processes <1 to 64>] [--console]   serves until SIGTERM
  deno task serve migrate [--contract]                  brings the database to this version`;

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
  const { contract = false, console = false } = values;
  if ((values["heartbeat-port"] === undefined) === (name === workArgument)) {
    throw new StartError(usage);
  }
  if (name === "migrate" && values.processes === undefined && !console) return { name, contract };
  if (contract || (name !== "serve" && name !== workArgument)) throw new StartError(usage);
  const processes = Number(values.processes ?? 1);
  if (!Number.isInteger(processes) || processes < 1 || processes > maxProcesses) {
    throw new StartError(`--processes takes a number from 1 to ${maxProcesses}.`);
  }
  if (name === "serve") return { name, processes, console };
  return { name: "work", processes, console, heartbeatPort: Number(values["heartbeat-port"]) };
}

function parse(
  args: readonly string[],
): {
  values: {
    processes?: string;
    contract?: boolean;
    console?: boolean;
    "heartbeat-port"?: string;
  };
  positionals: string[];
} {
  try {
    return parseArgs({
      args: [...args],
      options: {
        processes: { type: "string" },
        contract: { type: "boolean" },
        console: { type: "boolean" },
        "heartbeat-port": { type: "string" },
      },
      allowPositionals: true,
    });
  } catch (cause) {
    throw new StartError(usage, { cause });
  }
}
