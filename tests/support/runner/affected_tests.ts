/** Which tests a change can turn red, as `deno task test --changed` chooses them. */

import { testLayers } from "./test_layers.ts";

/** The text of each of the repository's text files, by path. */
export type RepositoryTexts = ReadonlyMap<string, string>;

/** A change of these is a change of everything. */
const foundations = ["deno.json", "deno.lock", "import_map.json", "tests/run.ts"];
const sqlFile = /^(?:supabase\/schemas|migrations)\/.*\.sql$/;
const sqlLayers = ["tests/database", "tests/functions"];
const everyLayer = testLayers.map(({ name }) => `tests/${name}`).sort();

/**
 * The paths of the tests that changed files affect: test files that are changed or that reach a
 * changed file through imports and other relative paths in their text; for SQL the layers that run
 * it; for any change the architecture tests, which read every file. Not found is what a test starts
 * as a process of its own: `e2e` and `faults` run when their own modules change.
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
    if (/^tests\/.*_test\.ts$/.test(path) && reached.has(path)) affected.add(path);
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

/** What `"./x.ts"` and `"../y/z.html"` in a file's text name: imports, and files read by URL. */
function readReferences(path: string, text: string): Set<string> {
  const base = new URL(path, "file:///");
  const literals = text.matchAll(/"(\.{1,2}\/[^"\s]+)"/g);
  return new Set(
    Array.from(literals, ([, reference = ""]) => new URL(reference, base).pathname.slice(1)),
  );
}
