import { assertEquals } from "../support/assert.ts";
import { readSourceFiles } from "./repository.ts";
import { parseSourceFile, type SourceFile } from "./source_file.ts";

/** A name that may hold a secret. */
const secretName = String.raw`[\w.]*(?:secret|token|signature|apikey|password|credential)\w*`;
/** Comparisons that reveal nothing: with undefined, null, or a type. */
const harmless = String.raw`(?:undefined|null|true|false|["'\x60]|\d)`;
const comparison = new RegExp(
  String
    .raw`\b${secretName}\s*[!=]==(?!\s*${harmless})|[!=]==\s*(?!typeof)${secretName}\b(?!\s*\?\.|\()`,
  "i",
);

/**
 * Secrets are compared in constant time (`equalInConstantTime`, or the runtime's `verify`) or looked up
 * by their hash. They are never compared by `===`, which stops at the first different character.
 */
function findComparisons(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, code }) =>
    code.split("\n")
      .filter((line) => comparison.test(line) && !/\btypeof\b/.test(line))
      .map((line) => `${path}: ${line.trim()}`)
  );
}

Deno.test("no secret is compared by ===", async () => {
  const files = (await readSourceFiles()).filter(({ path }) =>
    /^(?:functions|shared)\//.test(path)
  );
  assertEquals(findComparisons(files), []);
});

Deno.test("a comparison of secrets is found, and a harmless comparison is not", () => {
  const find = (code: string): number =>
    findComparisons([parseSourceFile("shared/probe.ts", code)]).length;
  assertEquals(find("if (given === config.webhookSecret) open();"), 1);
  assertEquals(find("return clientToken !== expected;"), 1);
  assertEquals(find("if (token === undefined || signature === null) refuse();"), 0);
  assertEquals(find("if (typeof secret !== type) refuse();"), 0);
});
