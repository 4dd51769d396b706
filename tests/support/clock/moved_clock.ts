/**
 * Runs a program and all that it starts on another day: a library that moves the clock is preloaded by
 * /etc/ld.so.preload, in mounts that only these programs see. So the clock reaches programs whose
 * environment is cleared, and those of another user, such as Postgres'. Linux with glibc.
 */

import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("moved_clock.c", import.meta.url));

/**
 * Covers /etc with a folder of links to what it held, so that a file can be added: the machine's own is
 * not touched, and the clock can be moved again within. Arguments: an empty folder, the library, the
 * offset in seconds, the programs' LD_PRELOAD, the program with its arguments.
 */
const setUp = `set -eu
umask 022
folder=$1 library=$2 offset=$3
export LD_PRELOAD=$4
[ -n "$LD_PRELOAD" ] || unset LD_PRELOAD
shift 4
name=$(basename "$library")
before=$(date +%s)
mount -t tmpfs -o mode=755 "$name" "$folder"
mkdir "$folder/.under_$name"
mount --rbind /etc "$folder/.under_$name"
find /etc -mindepth 1 -maxdepth 1 ! -type l -printf ".under_$name/%f\\0" | xargs -0 ln -s -t "$folder"
find /etc -mindepth 1 -maxdepth 1 -type l -print0 | xargs -0 cp -P -t "$folder"
cp "$library" "$folder/$name"
rm -f "$folder/ld.so.preload"
{ echo "/etc/$name"; [ ! -e /etc/ld.so.preload ] || cat /etc/ld.so.preload; } > "$folder/ld.so.preload"
mount --rbind "$folder" /etc
moved=$(($(date +%s) - before - offset))
if [ "$moved" -lt -60 ] || [ "$moved" -gt 60 ]; then
  echo "programs do not load what /etc/ld.so.preload names" >&2
  exit 1
fi
`;

/** A clock that is ready to use, or why there is none. */
export type MovedClock =
  | { readonly obstacle: string }
  | ({ readonly command: ClockedCommand } & AsyncDisposable);

/** Makes a command that runs on the clock. Its streams are this process's, unless options say otherwise. */
type ClockedCommand = (args: readonly string[], options?: Deno.CommandOptions) => Deno.Command;

/** The library in a folder, and by how much it moves the clock. */
interface ClockLibrary {
  readonly folder: string;
  readonly path: string;
  readonly offsetSeconds: number;
}

/**
 * Prepares a clock that shows `instantMs` now and runs on, and tries it. Dispose of it when its
 * programs have ended.
 */
export async function prepareClock(instantMs: number): Promise<MovedClock> {
  if (Deno.build.os !== "linux") return { obstacle: "only Linux preloads a library everywhere" };
  const folder = await Deno.makeTempDir({ prefix: "messaging-clock-" });
  const remove = (): Promise<void> => Deno.remove(folder, { recursive: true });
  const offsetSeconds = Math.round(instantMs / 1_000) - await readMachineClock();
  // Of two clocks, one within the other, each has a library of its own name.
  const library = { folder, path: join(folder, `${basename(folder)}.so`), offsetSeconds };
  const obstacle = await compile(library) ?? await tryOut(library);
  if (obstacle !== null) {
    await remove();
    return { obstacle };
  }
  return {
    command: (args, options = {}) => unshare(library, args, options),
    [Symbol.asyncDispose]: remove,
  };
}

/** Why the clock cannot be moved here; null where it can. */
export async function findClockObstacle(): Promise<string | null> {
  const clock = await prepareClock(Date.now() + 86_400_000);
  if ("obstacle" in clock) return clock.obstacle;
  await clock[Symbol.asyncDispose]();
  return null;
}

/** What the programs' clock would show without ours, in seconds. */
async function readMachineClock(): Promise<number> {
  const { stdout } = await new Deno.Command("date", {
    args: ["+%s"],
    env: { LD_PRELOAD: listPreloaded() },
    stdin: "null",
  }).output();
  return Number(new TextDecoder().decode(stdout));
}

/** Without libfaketime, which calls the system past our library. */
function listPreloaded(): string {
  const paths = (Deno.env.get("LD_PRELOAD") ?? "").split(/[\s:]+/);
  return paths.filter((path) => !path.includes("faketime")).join(":");
}

async function compile({ folder, path, offsetSeconds }: ClockLibrary): Promise<string | null> {
  await Deno.mkdir(join(folder, "etc"));
  return await compileClock(path, `OFFSET_SECONDS=${offsetSeconds}L`);
}

/**
 * Compiles the library that moves the clock.
 *
 * @param definition by how much: see its source.
 * @returns why it cannot be compiled here; null where it is.
 */
export async function compileClock(path: string, definition: string): Promise<string | null> {
  const options = ["-shared", "-fPIC", "-O2", `-D${definition}`];
  try {
    const { success, stderr } = await new Deno.Command("cc", {
      args: [...options, "-o", path, source, "-ldl"],
      stdin: "null",
    }).output();
    return success ? null : `the C compiler fails: ${readComplaint(stderr)}`;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return "there is no C compiler (Debian: apt-get install gcc libc6-dev)";
  }
}

async function tryOut(library: ClockLibrary): Promise<string | null> {
  try {
    const { success, stderr } = await unshare(library, ["true"], { stdin: "null" }).output();
    if (success) return null;
    return `this user may make no mounts of its own, or they have no effect: ${
      readComplaint(stderr)
    }`;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return "there is no program unshare (Debian: apt-get install util-linux)";
  }
}

/** Who is not root becomes it for the mounts only. */
function unshare(
  { folder, path, offsetSeconds }: ClockLibrary,
  args: readonly string[],
  options: Deno.CommandOptions,
): Deno.Command {
  const [user, group] = [Deno.uid(), Deno.gid()];
  const isRoot = user === 0;
  const resume = `exec unshare --user --map-user=${user} --map-group=${group} -- "$@"`;
  return new Deno.Command("unshare", {
    ...options,
    args: [
      ...(isRoot ? [] : ["--user", "--map-root-user"]),
      ...["--mount", "sh", "-c", `${setUp}${isRoot ? 'exec "$@"' : resume}`, "sh"],
      ...[join(folder, "etc"), path, String(offsetSeconds), listPreloaded(), ...args],
    ],
  });
}

function readComplaint(stderr: Uint8Array): string {
  return new TextDecoder().decode(stderr).trim().split("\n").at(-1) ?? "";
}
