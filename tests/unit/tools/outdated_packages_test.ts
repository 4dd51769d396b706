import {
  findOutdated,
  type Hold,
  renderOutdated,
} from "../../../supabase/tools/dependencies/outdated_packages.ts";
import {
  findUnknownConstants,
  readPins,
} from "../../../supabase/tools/dependencies/pinned_packages.ts";
import { assertEquals } from "../../support/assert.ts";

function namesOf(path: string, text: string): string[] {
  return readPins(path, text).map(({ name, version }) => `${name}@${version}`);
}

Deno.test("a pin is read in each form that a file gives it", () => {
  const map =
    `{"imports": {"a": "npm:a@1.0.0", "b/": "npm:/b@2.0.0/", "@c/d/e": "npm:@c/d@3.0.0/e"}}`;
  assertEquals(namesOf("import_map.json", map), ["a@1.0.0", "b@2.0.0", "@c/d@3.0.0"]);
  const tasks = { lint: "npx --yes @a/cli@1.2.3 lint x", other: "npx b@1.0.0-beta.17 x" };
  const allowScripts = { deny: ["npm:c@1.0.0"] };
  assertEquals(namesOf("deno.json", JSON.stringify({ allowScripts, tasks })), [
    "@a/cli@1.2.3",
    "b@1.0.0-beta.17",
  ]);
  assertEquals(namesOf(".ci/run", "deno=(npx --yes deno@2.9.6)"), ["deno@2.9.6"]);
  assertEquals(namesOf("docs/a.md", "Run `npx a@1.0.0 x`, or a@1.0.0."), ["a@1.0.0"]);
  const manifest = {
    dependencies: { a: "1.0.0", b: "^1.0.0" },
    devDependencies: { "@c/d": "2.0.0" },
  };
  assertEquals(namesOf("packages/x/package.json", JSON.stringify(manifest)), [
    "a@1.0.0",
    "@c/d@2.0.0",
  ]);
});

Deno.test("a version that stands alone is that of its constant's package", () => {
  const text = `const cliVersion = "3.1.0";\nconst viewerVersion = "1.72.1";\n`;
  assertEquals(namesOf("a.ts", text), ["supabase@3.1.0", "@scalar/api-reference@1.72.1"]);
  assertEquals(findUnknownConstants(text), []);
  assertEquals(findUnknownConstants('const otherVersion = "1.0.0";'), ["otherVersion"]);
});

Deno.test("an address, a comment and a key of a lock file are no pins", () => {
  for (const text of ["postgres://user@127.0.0.1:5432/x", "a@1.0", "@1.0.0", "a@b@1.0.0"]) {
    assertEquals(namesOf("a.ts", `"${text}"`), []);
  }
  assertEquals(namesOf("a.ts", " * `npm:a@1.0.0`\n  // a@1.0.0\n/** a@1.0.0 */\n"), []);
});

const pins = [
  { name: "a", version: "1.9.0", path: "import_map.json" },
  { name: "a", version: "1.9.0", path: "docs/a.md" },
  { name: "a", version: "1.10.0", path: "packages/x/package.json" },
  { name: "b", version: "2.0.0-beta.9", path: "import_map.json" },
  { name: "c", version: "2.15.0", path: "import_map.json" },
  { name: "d", version: "1.0.0", path: "import_map.json" },
];
const newest = new Map([["a", "1.10.0"], ["b", "2.0.0-beta.17"], ["c", "3.0.5"]]);

Deno.test("behind is what comes before the newest, in each file that pins it", () => {
  assertEquals(
    findOutdated(pins, newest, []).map((each) => [each.name, each.version, each.paths]),
    [
      ["a", "1.9.0", ["import_map.json", "docs/a.md"]],
      ["b", "2.0.0-beta.9", ["import_map.json"]],
      ["c", "2.15.0", ["import_map.json"]],
    ],
  );
  const released = new Map([["a", "1.9.0"], ["b", "2.0.0"]]);
  assertEquals(findOutdated(pins, released, []).map(({ name }) => name), ["b"]);
});

Deno.test("a held package has its reason, for its version and folder alone, and comes last", () => {
  const holds: Hold[] = [
    { name: "a", folder: "docs/", reason: "an example" },
    { name: "b", version: "2.0.0-beta.8", reason: "another version's" },
    { name: "c", folder: "packages/", reason: "its peer needs it" },
    { name: "c", reason: "it does not intercept" },
  ];
  const further = { name: "c", version: "2.15.0", path: "packages/x/package.json" };
  const outdated = findOutdated([...pins, further], newest, holds);
  assertEquals(outdated.map(({ name, reason, paths }) => [name, reason, paths]), [
    ["a", undefined, ["import_map.json"]],
    ["b", undefined, ["import_map.json"]],
    ["a", "an example", ["docs/a.md"]],
    ["c", "it does not intercept", ["import_map.json"]],
    ["c", "its peer needs it", ["packages/x/package.json"]],
  ]);
});

Deno.test("the table names package, both versions and where, and few of many files", () => {
  const paths = ["a.md", "b.md", "c.md", "d.md", "e.md"];
  assertEquals(
    renderOutdated([
      { name: "deno", version: "2.9.6", newest: "2.10.0", paths },
      { name: "c", version: "2.15.0", newest: "3.0.5", paths, reason: "it does not intercept" },
    ]),
    [
      "package  pinned  newest  where, or why it stays",
      "deno     2.9.6   2.10.0  a.md, b.md, c.md, 2 more",
      "c        2.15.0  3.0.5   it does not intercept",
    ],
  );
});
