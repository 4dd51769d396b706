/**
 * One line about the packages that a first start fetches. Deno itself says nothing (`--quiet`), or prints
 * a line for each of them.
 */
import { join } from "node:path";

/** A lock file of Deno, as far as it tells what is fetched. */
interface Lockfile {
  readonly npm: Readonly<
    Record<string, { readonly os?: readonly string[]; readonly cpu?: readonly string[] }>
  >;
}

/** How often the line is written anew on a terminal. */
const everyMs = 250;

/**
 * Prints one line when packages of this lock file are not in Deno's cache yet. On a terminal the line
 * counts them until it is disposed of. Prints nothing when all are there.
 */
export async function announceFetching(lockFile: URL): Promise<Disposable> {
  const lock: Lockfile = JSON.parse(await Deno.readTextFile(lockFile));
  const packages = Object.entries(lock.npm).filter(([, needs]) => runsHere(needs));
  const folders = packages.map(([key]) => toFolder(key));
  const fetched = countFetched(folders);
  if (fetched === folders.length) return { [Symbol.dispose]: () => {} };
  const missing = folders.length - fetched;
  const line = `Fetching ${missing} packages; only a first start does`;
  if (!Deno.stdout.isTerminal()) {
    write(`${line}.\n`);
    return { [Symbol.dispose]: () => {} };
  }
  const count = (): void => write(`\r${line}: ${countFetched(folders) - fetched} are here.`);
  count();
  const timer = setInterval(count, everyMs);
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      count();
      write("\n");
    },
  };
}

/** npm's names of this machine's system and processor. */
const system = Deno.build.os;
const processor = Deno.build.arch === "x86_64" ? "x64" : "arm64";

function runsHere(
  { os, cpu }: { readonly os?: readonly string[]; readonly cpu?: readonly string[] },
): boolean {
  return (os === undefined || os.includes(system)) &&
    (cpu === undefined || cpu.includes(processor));
}

/** `@scope/name@1.0.0_peer@2.0.0` is in `@scope/name/1.0.0`. */
function toFolder(key: string): string {
  const [, name = "", version = ""] = /^((?:@[^/]+\/)?[^@]+)@([^_]+)/.exec(key) ?? [];
  return join(name, version);
}

function countFetched(folders: readonly string[]): number {
  const registries = listFolders(join(locateCache(), "npm"));
  return folders.filter((folder) => registries.some((registry) => exists(join(registry, folder))))
    .length;
}

/** Where Deno keeps what it has fetched (Deno, "deno info"). */
function locateCache(): string {
  const home = Deno.env.get("HOME") ?? "";
  const named = Deno.env.get("DENO_DIR");
  if (named !== undefined && named !== "") return named;
  if (system === "darwin") return join(home, "Library/Caches/deno");
  return join(Deno.env.get("XDG_CACHE_HOME") ?? join(home, ".cache"), "deno");
}

function listFolders(folder: string): string[] {
  try {
    return Array.from(Deno.readDirSync(folder), ({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

function exists(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false;
  }
}

function write(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}
