import { assertEquals } from "../support/assert.ts";
import { readSourceFiles } from "./repository.ts";
import { parseSourceFile, type SourceFile } from "./source_file.ts";

/** A name that may hold what opens something. */
const secretName = String.raw`[\w.]*(?:secret|token|signature|apikey|password|credential)\w*`;
/** What a comparison tells nothing about: that something is there, or of which type. */
const harmless = String.raw`(?:undefined|null|true|false|["'\x60]|\d)`;
const comparison = new RegExp(
  String
    .raw`\b${secretName}\s*[!=]==(?!\s*${harmless})|[!=]==\s*(?!typeof)${secretName}\b(?!\s*\?\.|\()`,
  "i",
);

/**
 * Secrets are compared in constant time (`equalInConstantTime`, or the runtime's own `verify`), or
 * looked up by their hash: never by `===`, which ends at the first character that differs.
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

Deno.test("a comparison of secrets is found, and one that tells nothing is not", () => {
  const find = (code: string): number =>
    findComparisons([parseSourceFile("shared/probe.ts", code)]).length;
  assertEquals(find("if (given === config.webhookSecret) open();"), 1);
  assertEquals(find("return clientToken !== expected;"), 1);
  assertEquals(find("if (token === undefined || signature === null) refuse();"), 0);
  assertEquals(find("if (typeof secret !== type) refuse();"), 0);
});
