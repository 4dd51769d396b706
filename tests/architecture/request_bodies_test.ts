import { assertEquals } from "../support/assert.ts";
import { readSourceFiles } from "./repository.ts";
import { parseSourceFile, type SourceFile } from "./source_file.ts";

/** What reads the body of a request, or hands it on. */
const reading =
  /\b(?:raw|request)\s*\.\s*(?:body|arrayBuffer|bytes|blob|formData|json|text|clone)\b|\breq\s*\.\s*(?:arrayBuffer|blob|formData|json|text|parseBody)\b/;

/** Reads bodies for all functions, bounded in size and time. */
const reader = "shared/http/request_body.ts";

function findReadings(files: readonly SourceFile[]): string[] {
  return files.filter(({ path, code }) => path !== reader && reading.test(code))
    .map(({ path }) => path);
}

Deno.test("only one module reads the bodies of requests: a new endpoint's is bounded by being one", async () => {
  const files = await readSourceFiles("functions", "shared");
  assertEquals(findReadings(files.filter(({ path }) => isServed(path))), []);
});

/** Modules that requests reach. Elsewhere `request` is what a caller of a database function gives. */
function isServed(path: string): boolean {
  return /^functions\/|^shared\/http\//.test(path);
}

Deno.test("a body that is read elsewhere is found", () => {
  const find = (code: string): number =>
    findReadings([parseSourceFile("functions/a/app.ts", code)]).length;
  for (
    const code of [
      "const a = await context.req.json();",
      "const a = context.req.raw.body;",
      "const a = await request.text();",
      "const { a } = await request\n  .formData();",
    ]
  ) assertEquals(find(code), 1, code);
  assertEquals(find("const a = context.req.header('x'); const b = await response.json();"), 0);
});
