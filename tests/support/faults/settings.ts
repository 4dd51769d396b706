/**
 * How long and how hard the tests in tests/faults try. What nobody sets is bounded for CI; the long
 * run is `deno task test:faults --kills 100 --messages 2000`.
 */

import { parseArgs } from "node:util";

/** Everything is a number; what each stands for where it is not set is the test's own affair. */
export interface FaultSettings {
  /** How often a process is killed. */
  readonly kills?: number;
  /** How many messages go out meanwhile. */
  readonly messages?: number;
  /** Over how many instances. */
  readonly instances?: number;
  /** Calls, dispatchers or requests at once. */
  readonly concurrency?: number;
  /** How long load is kept up. */
  readonly seconds?: number;
  /** How many hostile requests are made. */
  readonly requests?: number;
  /** Repeats a run's random choices; every test prints its own. */
  readonly seed?: number;
}

/** The options of the command line, in the words of `FaultSettings`. */
export const faultSettingNames = [
  "kills",
  "messages",
  "instances",
  "concurrency",
  "seconds",
  "requests",
  "seed",
] as const satisfies readonly (keyof FaultSettings)[];

/**
 * Reads the options that `deno task test:faults` has handed on.
 *
 * @throws {Error} for one that is no whole number.
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
