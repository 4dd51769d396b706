/** What goes to npm: each package by itself, pinned, with the service's version. */

import { version } from "../../shared/model/version.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { listFiles, listFolders, listNames, readSourceFiles, readText } from "./repository.ts";
import { parseSourceFile, type SourceFile } from "./source_file.ts";

/** The most lines by hand of the client, without comments and empty lines. */
const maxClientLines = 400;
const generated = ["packages/client/src/api.ts", "packages/client/src/methods.ts"];

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly type?: string;
  readonly dependencies?: unknown;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function findManifestFaults(manifest: Manifest, names: readonly string[]): string[] {
  const loose = Object.entries(manifest.devDependencies ?? {})
    .filter(([, wanted]) => !/^\d+\.\d+\.\d+$/.test(wanted)).map(([name]) =>
      `${name} is not pinned`
    );
  const missing = ["LICENSE", "README.md", "package-lock.json", "tests"]
    .filter((name) => !names.includes(name)).map((name) => `${name} is missing`);
  return [
    ...(manifest.version === version ? [] : [`its version is not ${version}`]),
    ...(manifest.license === "MIT" ? [] : ["its licence is not MIT"]),
    ...(manifest.dependencies === undefined ? [] : ["it has dependencies"]),
    ...loose,
    ...missing,
  ];
}

/** Code of a package reaches nothing outside its folder; its tests use the repository's. */
function findImportsAcross(files: readonly SourceFile[]): string[] {
  const packageOf = (path: string): string => path.split("/").slice(0, 2).join("/");
  return files.flatMap(({ path, imports }) =>
    imports.filter(({ target }) => {
      if (target === null || path.includes("/tests/")) return false;
      return path.startsWith("packages/")
        ? packageOf(target) !== packageOf(path)
        : target.startsWith("packages/");
    }).map(({ target }) => `${path} imports ${target}`)
  );
}

function countLines(text: string): number {
  return text.split("\n").filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length;
}

Deno.test("each package has the service's version, a licence, a README, tests, pinned tools and no dependency", async () => {
  const folders = await listFolders("packages");
  assert(folders.includes("client"));
  for (const folder of folders) {
    const manifest = JSON.parse(await readText(`packages/${folder}/package.json`));
    assertEquals(findManifestFaults(manifest, await listNames(`packages/${folder}`)), [], folder);
    assertEquals(await readText(`packages/${folder}/LICENSE`), await readText("LICENSE"));
    const tests = await listFiles(`packages/${folder}/tests`);
    assert(tests.some((path) => path.endsWith("_test.ts")), `${folder} has no test`);
  }
});

Deno.test("a package with another version, a dependency, a loose tool or without a README is found", () => {
  const names = ["LICENSE", "README.md", "package-lock.json", "tests"];
  const fine = { version, license: "MIT", devDependencies: { typescript: "5.9.3" } };
  assertEquals(findManifestFaults(fine, names), []);
  for (
    const change of [
      { version: "0.0.1" },
      { license: "ISC" },
      { dependencies: { hono: "4.13.19" } },
      { devDependencies: { typescript: "^5.9.3" } },
    ]
  ) {
    assertEquals(findManifestFaults({ ...fine, ...change }, names).length, 1);
  }
  assertEquals(findManifestFaults(fine, []).length, 4);
});

Deno.test("packages and the service import nothing of each other", async () => {
  const files = await readSourceFiles("functions", "shared", "supabase", "packages");
  assertEquals(findImportsAcross(files), []);
});

Deno.test("an import into or out of a package is found", () => {
  const offending = [
    parseSourceFile("packages/client/src/a.ts", `import "../../../shared/model/phone.ts";`),
    parseSourceFile("packages/client/src/a.ts", `import "../../other/src/b.ts";`),
    parseSourceFile("functions/mcp/app.ts", `import "../../packages/client/src/index.ts";`),
  ];
  for (const file of offending) assertEquals(findImportsAcross([file]).length, 1);
  const fine = [
    parseSourceFile("packages/client/src/a.ts", `import "./b.ts";`),
    parseSourceFile("packages/client/tests/a.ts", `import "../../../tests/support/assert.ts";`),
  ];
  assertEquals(findImportsAcross(fine), []);
});

Deno.test("the client's core is at most 400 lines by hand", async () => {
  const files = (await listFiles("packages/client/src")).filter((path) =>
    !generated.includes(path)
  );
  assert(files.length > 5);
  const texts = await Promise.all(files.map(readText));
  const lines = texts.map(countLines).reduce((sum, count) => sum + count, 0);
  assert(lines <= maxClientLines, `${lines} lines`);
});

Deno.test("comments and empty lines are no lines of code", () => {
  assertEquals(countLines("/** Says. */\n\n// why\n/*\n * what\n */\nconst a = 1; // one\n"), 1);
});
