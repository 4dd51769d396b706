/** Finds the tests that a change can break, for `deno task test --changed`. */

import { folderOf, testLayers } from "./test_layers.ts";

/** The text of each of the repository's text files, by path. */
export type RepositoryTexts = ReadonlyMap<string, string>;

/** A change of one of these affects every test. */
const foundations = ["deno.json", "deno.lock", "import_map.json", "tests/run.ts"];
const sqlFile = /^(?:supabase\/schemas|migrations)\/.*\.sql$/;
const sqlLayers = ["tests/database", "tests/functions"];
const everyLayer = testLayers.map(folderOf).sort();

/**
 * Returns the paths of affected tests. A test file is affected when it changed, or when it reaches a
 * changed file through imports or other relative paths in its text. SQL affects the layers that run it.
 * Every change affects the architecture tests, which read every file. Programs that a test starts as a
 * process are not found: `e2e` and `faults` run only when their own modules change.
 */
export function findAffectedTests(
  changed: readonly string[],
  texts: RepositoryTexts,
): string[] {
  if (changed.length === 0) return [];
  if (changed.some((path) => foundations.includes(path))) return [...everyLayer];
  const affected = new Set(["tests/architecture"]);
  if (changed.some((path) => sqlFile.test(path))) {
    for (const layer of sqlLayers) affected.add(layer);
  }
  const reached = findDependents(changed, texts);
  for (const path of texts.keys()) {
    if (/^(?:tests|packages)\/.*_test\.ts$/.test(path) && reached.has(path)) affected.add(path);
  }
  return [...affected].sort();
}

/** The changed files, and every file from which a chain of references leads to one. */
function findDependents(changed: readonly string[], texts: RepositoryTexts): Set<string> {
  const referrers = new Map<string, string[]>();
  for (const [path, text] of texts) {
    if (!path.endsWith(".ts")) continue;
    for (const target of readReferences(path, text)) {
      referrers.set(target, [...(referrers.get(target) ?? []), path]);
    }
  }
  const reached = new Set(changed);
  for (const path of reached) {
    for (const referrer of referrers.get(path) ?? []) reached.add(referrer);
  }
  return reached;
}

/** Relative paths in a file's text, such as `"./x.ts"`: imports, and files read by URL. */
function readReferences(path: string, text: string): Set<string> {
  const base = new URL(path, "file:///");
  const literals = text.matchAll(/"(\.{1,2}\/[^"\s]+)"/g);
  return new Set(
    Array.from(literals, ([, reference = ""]) => new URL(reference, base).pathname.slice(1)),
  );
}
