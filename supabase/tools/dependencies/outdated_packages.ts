/** Compares pinned packages with the newest versions. */
import type { Pin } from "./pinned_packages.ts";

/** A pin that stays where it is. */
export interface Hold {
  readonly name: string;
  /** The version that the reason is about; each by default. */
  readonly version?: string;
  /** The folder that the reason is about; the whole repository by default. */
  readonly folder?: string;
  readonly reason: string;
}

/** A package at a version that is not the newest. */
export interface OutdatedPackage {
  readonly name: string;
  readonly version: string;
  readonly newest: string;
  /** The files that pin it. */
  readonly paths: readonly string[];
  /** Why it stays; absent where it is behind. */
  readonly reason?: string | undefined;
}

/**
 * Lists what is not at its newest version, by name: first what is behind, then what is held.
 *
 * @param newest the newest version by name. A package that it lacks is left out.
 */
export function findOutdated(
  pins: readonly Pin[],
  newest: ReadonlyMap<string, string>,
  holds: readonly Hold[],
): OutdatedPackage[] {
  const found = new Map<string, OutdatedPackage>();
  for (const { name, version, path } of pins) {
    const latest = newest.get(name);
    if (latest === undefined || !isBefore(version, latest)) continue;
    const reason = findHold({ name, version, path }, holds)?.reason;
    const key = [reason === undefined ? 0 : 1, name, version, reason].join(" ");
    const paths = [...found.get(key)?.paths ?? [], path];
    found.set(key, { name, version, newest: latest, paths, reason });
  }
  return [...found].sort(([a], [b]) => a < b ? -1 : 1).map(([, outdated]) => outdated);
}

/** The reason to leave a pin alone, if there is one. */
export function findHold({ name, version, path }: Pin, holds: readonly Hold[]): Hold | undefined {
  return holds.find((hold) =>
    hold.name === name && version === (hold.version ?? version) &&
    path.startsWith(hold.folder ?? "")
  );
}

/** Renders a table: name, pinned, newest, where; under a held package its reason. */
export function renderOutdated(packages: readonly OutdatedPackage[]): string[] {
  const rows = packages.map(({ name, version, newest, paths, reason }) =>
    [name, version, newest, reason ?? describePaths(paths)] as const
  );
  const table = [["package", "pinned", "newest", "where, or why it stays"] as const, ...rows];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...table.map((row) => (row[column] ?? "").length))
  );
  return table.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()
  );
}

const shownPaths = 3;

function describePaths(paths: readonly string[]): string {
  const further = paths.length - shownPaths;
  return [...paths.slice(0, shownPaths), ...(further > 0 ? [`${further} more`] : [])].join(", ");
}

/** Whether a version comes before another. A pre-release comes before its release. */
function isBefore(version: string, other: string): boolean {
  const [a, b] = [split(version), split(other)];
  const index = [0, 1, 2].find((part) => a.numbers[part] !== b.numbers[part]);
  if (index !== undefined) return (a.numbers[index] ?? 0) < (b.numbers[index] ?? 0);
  if (a.pre === undefined || b.pre === undefined) return a.pre !== undefined && b.pre === undefined;
  return a.pre.localeCompare(b.pre, "en", { numeric: true }) < 0;
}

function split(version: string): { numbers: readonly number[]; pre: string | undefined } {
  const [release = "", pre] = version.split(/-(.*)/s);
  return { numbers: release.split(".").map(Number), pre };
}
