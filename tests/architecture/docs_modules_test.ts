import { assertEquals } from "../support/assert.ts";
import { readSourceFiles } from "./repository.ts";
import { type ImportStatement, parseSourceFile, type SourceFile } from "./source_file.ts";

const isDocs = (path: string): boolean => /(?:^|[/_])docs\.ts$/.test(path);

/** Whether a provider's descriptor imports its own docs when asked, or their type, and no sooner. */
const isLate = (path: string, { isDynamic, isTypeOnly }: ImportStatement): boolean =>
  path.startsWith("shared/providers/") && path.endsWith("descriptor.ts") &&
  (isDynamic || isTypeOnly);

/**
 * Imports of what only documents, by files that run. A provider's descriptor may name its docs in the
 * method that the document generator calls: `import()` there loads nothing until it is called.
 */
function findDocsImports(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => !isDocs(path)).flatMap(({ path, imports }) =>
    imports.filter((found) => found.target !== null && isDocs(found.target) && !isLate(path, found))
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

Deno.test("a provider's docs are imported when they are asked for, never as its descriptor loads", () => {
  const path = "shared/providers/zapi/descriptor.ts";
  const late = parseSourceFile(path, 'const load = () => import("./docs.ts");\n');
  assertEquals(findDocsImports([late]), []);
  const early = parseSourceFile(path, 'import { zapiDocs } from "./docs.ts";\n');
  const elsewhere = parseSourceFile("shared/messages/send.ts", 'await import("./docs.ts");\n');
  assertEquals(findDocsImports([early, elsewhere]), [
    `${path} imports shared/providers/zapi/docs.ts`,
    "shared/messages/send.ts imports shared/messages/docs.ts",
  ]);
});

Deno.test("only the document's modules ask a provider for its docs", async () => {
  const files = await readSourceFiles("functions", "shared");
  const asking = files.filter(({ code }) => /\.loadDocs\(/.test(code)).map(({ path }) => path);
  assertEquals(asking.filter((path) => !isDocs(path)), ["shared/providers/descriptor.ts"]);
});
