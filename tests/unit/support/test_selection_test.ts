import { assertEquals } from "../../support/assert.ts";
import { findAffectedTests } from "../../support/runner/affected_tests.ts";
import { testLayers } from "../../support/runner/test_layers.ts";
import {
  chooseLayers,
  layerOf,
  splitIntoRuns,
  toTestPath,
} from "../../support/runner/test_selection.ts";

const chosen = (...wanted: string[]): [string, readonly string[]][] =>
  chooseLayers(wanted.map(toTestPath)).map(({ name, paths }) => [name, paths]);

Deno.test("a layer, a folder and a file are named with or without tests/, and run in their layer", () => {
  assertEquals(chosen("unit"), [["unit", ["tests/unit"]]]);
  assertEquals(chosen("./tests/functions/providers/", "unit/phone_test.ts"), [
    ["functions", ["tests/functions/providers"]],
    ["unit", ["tests/unit/phone_test.ts"]],
  ]);
  assertEquals(layerOf(toTestPath("nowhere/phone_test.ts")), undefined);
});

Deno.test("without a path every layer runs, and a path named twice runs once", () => {
  assertEquals(chosen().map(([name]) => name), testLayers.map(({ name }) => name));
  assertEquals(chosen("unit/phone_test.ts", "unit", "unit"), [["unit", ["tests/unit"]]]);
});

const repository = new Map([
  ["shared/phone.ts", `export const digits = /\\d/;`],
  ["shared/contact.ts", `import { digits } from "./phone.ts";`],
  ["shared/page.ts", `const page = new URL("./page.html", import.meta.url);`],
  ["tests/unit/phone_test.ts", `import { digits } from "../../shared/phone.ts";`],
  ["tests/unit/page_test.ts", `import "../../shared/page.ts";`],
  ["tests/functions/contacts/contact_test.ts", `await import("../../../shared/contact.ts");`],
]);

Deno.test("a changed module affects every test that reaches it, also indirectly", () => {
  assertEquals(findAffectedTests(["shared/phone.ts"], repository), [
    "tests/architecture",
    "tests/functions/contacts/contact_test.ts",
    "tests/unit/phone_test.ts",
  ]);
  assertEquals(findAffectedTests(["shared/contact.ts"], repository), [
    "tests/architecture",
    "tests/functions/contacts/contact_test.ts",
  ]);
});

Deno.test("a changed test affects itself, a file read by URL its readers, a plain text no test", () => {
  assertEquals(findAffectedTests(["tests/unit/phone_test.ts"], repository), [
    "tests/architecture",
    "tests/unit/phone_test.ts",
  ]);
  assertEquals(findAffectedTests(["shared/page.html"], repository), [
    "tests/architecture",
    "tests/unit/page_test.ts",
  ]);
  assertEquals(findAffectedTests(["README.md"], repository), ["tests/architecture"]);
  assertEquals(findAffectedTests([], repository), []);
});

Deno.test("changed SQL affects the layers that run it, changed foundations every test", () => {
  for (const path of ["supabase/schemas/messages/tables/messages.sql", "migrations/1_a.sql"]) {
    assertEquals(findAffectedTests([path], repository), [
      "tests/architecture",
      "tests/database",
      "tests/functions",
    ]);
  }
  assertEquals(
    findAffectedTests(["import_map.json"], repository),
    [
      "packages",
      "tests/architecture",
      "tests/database",
      "tests/e2e",
      "tests/faults",
      "tests/functions",
      "tests/unit",
    ],
  );
});

Deno.test("each file of a layer that says so is a run of its own, the longest first", async () => {
  const listTests = (folder: string): Promise<string[]> =>
    Promise.resolve([`${folder}/a_test.ts`, `${folder}/deploy_test.ts`]);
  const runsOf = async (...paths: string[]): Promise<string[][]> => {
    const runs = await Promise.all(
      chooseLayers(paths).map((layer) => splitIntoRuns(layer, listTests)),
    );
    return runs.flat().map((run) => [...run.paths]);
  };
  assertEquals(await runsOf("tests/e2e"), [["tests/e2e/deploy_test.ts"], ["tests/e2e/a_test.ts"]]);
  assertEquals(await runsOf("tests/e2e/b_test.ts"), [["tests/e2e/b_test.ts"]]);
  assertEquals((await runsOf("tests/faults")).length, 2);
  assertEquals(await runsOf("tests/functions"), [["tests/functions"]]);
});

Deno.test("the tests of a package are a layer outside tests/", () => {
  assertEquals(chosen("packages"), [["packages", ["packages"]]]);
  assertEquals(chosen("packages/client/tests/calls_test.ts"), [
    ["packages", ["packages/client/tests/calls_test.ts"]],
  ]);
});
