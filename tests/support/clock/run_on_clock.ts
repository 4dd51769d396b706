import { clockForm, dropClock, readClock } from "./clock_argument.ts";
import { prepareClock } from "./moved_clock.ts";

/**
 * Runs this program once more, with its other arguments, on the clock that `--clock` names. Says which
 * clock that is, or why there is none.
 *
 * @returns the exit code: 2 where it could not start.
 */
export async function runOnClock(
  { clock, signal, print }: {
    readonly clock: string;
    /** Ends it. */
    readonly signal: AbortSignal;
    readonly print: (line: string) => void;
  },
): Promise<number> {
  const instantMs = readClock(clock, Date.now());
  if (instantMs === undefined) {
    print(`--clock takes ${clockForm}, not "${clock}".`);
    return 2;
  }
  // That server would keep its own clock.
  const isServed = Deno.env.has("DATABASE_URL");
  const prepared = isServed ? { obstacle: "DATABASE_URL is set" } : await prepareClock(instantMs);
  if ("obstacle" in prepared) {
    print(`--clock cannot be used here: ${prepared.obstacle}.`);
    return 2;
  }
  await using _ = prepared;
  print(describeClock(instantMs, Date.now()));
  const program = ["run", "--lock=deno.lock", "-A", Deno.mainModule, ...dropClock(Deno.args)];
  const child = prepared.command([Deno.execPath(), ...program]).spawn();
  const end = (): void => child.kill("SIGTERM");
  signal.addEventListener("abort", end);
  const { code } = await child.status;
  signal.removeEventListener("abort", end);
  return code;
}

function describeClock(instantMs: number, nowMs: number): string {
  const instant = new Date(instantMs).toISOString().replace(/\.\d+Z$/, "Z");
  const days = (instantMs - nowMs) / 86_400_000;
  const direction = days < 0 ? "behind" : "ahead of";
  return `The clock shows ${instant}: it is ${
    Math.abs(days).toFixed(1)
  } days ${direction} this machine's.`;
}
