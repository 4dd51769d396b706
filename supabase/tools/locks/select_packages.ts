/** Selects from a lock file of Deno (version 5) what a part of the repository's programs needs. */

/** A lock file, as far as a selection changes it. */
export interface Lockfile {
  readonly version: string;
  /** `npm:zod@4.6.7` → the rest of the key in `npm`: `4.6.7`, with the peers behind `_`. */
  readonly specifiers: Readonly<Record<string, string>>;
  readonly npm: Readonly<Record<string, LockedPackage>>;
  readonly workspace: unknown;
}

export interface LockedPackage {
  readonly integrity: string;
  readonly dependencies?: readonly string[];
  readonly optionalDependencies?: readonly string[];
  readonly optionalPeers?: readonly string[];
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly [other: string]: unknown;
}

/**
 * The same lock file with these specifiers, their packages and the packages that those depend on. It
 * keeps each version and checksum.
 *
 * @param specifiers as the import map writes them: `npm:zod@4.6.7`.
 * @throws {Error} for what the lock file does not have.
 */
export function selectPackages(lock: Lockfile, specifiers: readonly string[]): Lockfile {
  const kept = new Set(specifiers.map((specifier) => findRoot(lock, specifier)));
  for (const key of kept) {
    const { dependencies = [], optionalDependencies = [], optionalPeers = [] } = readPackage(
      lock,
      key,
    );
    const needed = dependencies.filter((name) => !optionalPeers.includes(name));
    for (const name of [...needed, ...optionalDependencies]) kept.add(findKey(lock, name));
  }
  return {
    version: lock.version,
    specifiers: pick(lock.specifiers, (name) => specifiers.includes(name)),
    npm: Object.fromEntries(
      Object.entries(lock.npm).filter(([key]) => kept.has(key))
        .map(([key, locked]) => [key, withoutAbsentPeers(lock, locked, kept)]),
    ),
    // The whole import map: Deno fetches nothing by it.
    workspace: lock.workspace,
  };
}

/** Deno counts an optional peer among the dependencies when anything else brings it. */
function withoutAbsentPeers(
  lock: Lockfile,
  locked: LockedPackage,
  kept: ReadonlySet<string>,
): LockedPackage {
  const isKept = (name: string): boolean => kept.has(findKey(lock, name));
  const lists = Object.entries(locked).flatMap(([field, value]) => {
    if (field !== "dependencies" && field !== "optionalPeers") return [[field, value]];
    const present = (value as string[]).filter(isKept);
    return present.length === 0 ? [] : [[field, present]];
  });
  return Object.fromEntries(lists);
}

/** As Deno writes it, to the letter: a program that may not change its lock file compares texts. */
export function formatLock(lock: Lockfile): string {
  const text = JSON.stringify(lock, null, 2);
  const inOneLine = text.replace(
    /("(?:os|cpu|libc)": )(\[[^\]]*\])/g,
    (_, name, list) => `${name}[${JSON.parse(list).map((each: string) => `"${each}"`).join(", ")}]`,
  );
  return `${inOneLine}\n`;
}

function findRoot(lock: Lockfile, specifier: string): string {
  const version = lock.specifiers[specifier];
  if (version === undefined) throw new Error(`deno.lock does not have ${specifier}.`);
  const name = /^npm:((?:@[^/]+\/)?[^@]+)@/.exec(specifier)?.[1] ?? "";
  return `${name}@${version}`;
}

function readPackage(lock: Lockfile, key: string): LockedPackage {
  const locked = lock.npm[key];
  if (locked === undefined) throw new Error(`deno.lock does not have ${key}.`);
  return locked;
}

/** A dependency is named with its version only where the lock file has several. */
function findKey(lock: Lockfile, name: string): string {
  if (Object.hasOwn(lock.npm, name)) return name;
  const key = Object.keys(lock.npm).find((each) => each.startsWith(`${name}@`));
  if (key === undefined) throw new Error(`deno.lock does not have ${name}.`);
  return key;
}

function pick<Value>(
  record: Readonly<Record<string, Value>>,
  isKept: (key: string) => boolean,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => isKept(key)));
}
