import { assertEquals } from "../support/assert.ts";
import { readSourceFiles } from "./repository.ts";
import { parseSourceFile, type SourceFile } from "./source_file.ts";

/**
 * The circles of files that import each other: of each one its files, sorted. An import of a type
 * counts, because a file of a circle is understood only with all the others. So does a dynamic one.
 */
function findCircles(files: readonly SourceFile[]): string[][] {
  const imports = new Map(files.map((file) => [file.path, listTargets(file)]));
  const reached = new Map(files.map(({ path }) => [path, collectReached(path, imports)]));
  const circles = files.filter(({ path }) => reached.get(path)?.has(path))
    .map(({ path }) => {
      const others = [...reached.get(path) ?? []];
      return others.filter((other) => reached.get(other)?.has(path)).sort();
    });
  const distinct = new Map(circles.map((circle) => [circle.join(" "), circle]));
  return [...distinct.values()];
}

function listTargets({ imports }: SourceFile): string[] {
  return imports.map(({ target }) => target).filter((target) => target !== null);
}

/** All files that `path` imports, by way of others too; `path` itself only in a circle. */
function collectReached(
  path: string,
  imports: ReadonlyMap<string, readonly string[]>,
): Set<string> {
  const reached = new Set<string>();
  const open = [...imports.get(path) ?? []];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...imports.get(next) ?? []);
  }
  return reached;
}

Deno.test("no files import each other in a circle, types included", async () => {
  assertEquals(findCircles(await readSourceFiles("functions", "shared", "supabase")), []);
});

Deno.test("a circle of imports is found with its files alone, by way of types and dynamic imports too", () => {
  const files = [
    parseSourceFile("shared/a.ts", `import { b } from "./b.ts";`),
    parseSourceFile("shared/b.ts", `import type { C } from "./c.ts"; import { d } from "./d.ts";`),
    parseSourceFile("shared/c.ts", `const a = await import("./a.ts");`),
    parseSourceFile("shared/d.ts", `import { z } from "zod";`),
    parseSourceFile("shared/e.ts", `import { a } from "./a.ts";`),
    parseSourceFile("shared/f.ts", `export { f } from "./f.ts";`),
  ];
  assertEquals(findCircles(files), [
    ["shared/a.ts", "shared/b.ts", "shared/c.ts"],
    ["shared/f.ts"],
  ]);
});
