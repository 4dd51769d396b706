/**
 * Duration and load of the tests in tests/faults. Defaults suit CI. A long run is
 * `deno task test:faults --kills 100 --messages 2000`.
 */

import { parseArgs } from "node:util";

/** All settings are numbers. Each test has its own defaults. */
export interface FaultSettings {
  /** How often a process is killed. */
  readonly kills?: number;
  /** How many messages are sent. */
  readonly messages?: number;
  /** How many instances send. */
  readonly instances?: number;
  /** Concurrent calls, dispatchers or requests. */
  readonly concurrency?: number;
  /** Duration of the load, in seconds. */
  readonly seconds?: number;
  /** How many lives of questions are lived. */
  readonly lives?: number;
  /** Duration of the model test's sequences, and of the histories, in minutes. */
  readonly minutes?: number;
  /** How many hostile requests are made. */
  readonly requests?: number;
  /** 1: functions that tests start in processes of their own reach their database over the Data API. */
  readonly dataApi?: number;
  /** Seed of the random choices. Every test prints its seed. */
  readonly seed?: number;
}

/** The command-line options of `FaultSettings`. */
export const faultSettingNames = [
  "kills",
  "messages",
  "instances",
  "concurrency",
  "seconds",
  "lives",
  "minutes",
  "requests",
  "dataApi",
  "seed",
] as const satisfies readonly (keyof FaultSettings)[];

/**
 * Reads the options that `deno task test:faults` passes on.
 *
 * @throws {Error} for an option that is not a whole number.
 */
export function readFaultSettings(args: readonly string[] = Deno.args): FaultSettings {
  const options = Object.fromEntries(
    faultSettingNames.map((name) => [name, { type: "string" as const }]),
  );
  const { values } = parseArgs({ args: [...args], options });
  const settings = Object.entries(values).map(([name, value]) => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < 0) throw new Error(`--${name} is no whole number`);
    return [name, number];
  });
  return Object.fromEntries(settings);
}
