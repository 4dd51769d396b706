/** A clock that is set while programs run on it: those that load its library. Linux with glibc. */

import { join } from "node:path";
import { compileClock } from "./moved_clock.ts";

/** A clock that is ready to use. Dispose of it when its programs have ended. */
export interface SettableClock extends AsyncDisposable {
  /** For the programs. */
  readonly environment: Readonly<Record<string, string>>;
  /** How far the programs' time of day is ahead of this machine's from now on; negative for behind. */
  set(offsetSeconds: number): Promise<void>;
}

/** Makes a clock that shows the machine's time until it is set, or says why it cannot. */
export async function makeSettableClock(): Promise<SettableClock | { readonly obstacle: string }> {
  if (Deno.build.os !== "linux") return { obstacle: "only Linux preloads a library" };
  const folder = await Deno.makeTempDir({ prefix: "messaging-clock-" });
  const library = join(folder, "clock.so");
  const file = join(folder, "offset");
  const remove = (): Promise<void> => Deno.remove(folder, { recursive: true });
  // For Postgres' user.
  await Deno.chmod(folder, 0o755);
  const set = async (offsetSeconds: number): Promise<void> => {
    // In place: the programs have mapped the file, which must not be shorter for a moment.
    using opened = await Deno.open(file, { create: true, write: true });
    await opened.write(new Uint8Array(BigInt64Array.of(BigInt(offsetSeconds)).buffer));
  };
  await set(0);
  const obstacle = await compileClock(library, `OFFSET_FILE="${file}"`);
  if (obstacle !== null) {
    await remove();
    return { obstacle };
  }
  return { environment: { LD_PRELOAD: library }, set, [Symbol.asyncDispose]: remove };
}

/** Why there is no such clock here; null where there is. */
export async function findSettableClockObstacle(): Promise<string | null> {
  const clock = await makeSettableClock();
  if ("obstacle" in clock) return clock.obstacle;
  await clock[Symbol.asyncDispose]();
  return null;
}
