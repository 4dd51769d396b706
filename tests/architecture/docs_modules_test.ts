import { assertEquals } from "../support/assert.ts";
import { readSourceFiles } from "./repository.ts";
import { parseSourceFile, type SourceFile } from "./source_file.ts";

const isDocs = (path: string): boolean => /(?:^|[/_])docs\.ts$/.test(path);

/** Imports of what only documents, by files that run. */
function findDocsImports(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => !isDocs(path)).flatMap(({ path, imports }) =>
    imports.filter(({ target }) => target !== null && isDocs(target))
      .map(({ target }) => `${path} imports ${target}`)
  );
}

Deno.test("no running function imports what documents it", async () => {
  assertEquals(findDocsImports(await readSourceFiles("functions", "shared")), []);
});

Deno.test("an import of documentation is found, and documentation may import its like", () => {
  const source = 'import { x } from "./resources/agents_docs.ts";\n';
  const files = ["functions/admin-api/app.ts", "functions/admin-api/docs.ts"].map((path) =>
    parseSourceFile(path, source)
  );
  assertEquals(findDocsImports(files), [
    "functions/admin-api/app.ts imports functions/admin-api/resources/agents_docs.ts",
  ]);
});
