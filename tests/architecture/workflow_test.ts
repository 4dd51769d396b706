import { assertEquals } from "../support/assert.ts";
import { readText } from "./repository.ts";

/** Values of a key in the workflow, without comments. */
function readValues(workflow: string, key: string): string[] {
  const lines = workflow.matchAll(new RegExp(`^\\s*(?:- )?${key}:([^#\\n]*)`, "gm"));
  return Array.from(lines, ([, value]) => (value ?? "").trim());
}

/** Actions pinned by a tag or a branch, which others can move. */
function findMovableActions(workflow: string): string[] {
  return readValues(workflow, "uses").filter((action) => !/^[\w./-]+@[0-9a-f]{40}$/.test(action));
}

Deno.test("CI runs .ci/run on each push and pull request, with actions pinned by commit", async () => {
  const workflow = await readText(".github/workflows/ci.yml");
  assertEquals([readValues(workflow, "push"), readValues(workflow, "pull_request")], [[""], [""]]);
  assertEquals(readValues(workflow, "run"), [".ci/run"]);
  assertEquals(findMovableActions(workflow), []);
  assertEquals(readValues(workflow, "fetch-depth"), ["0"], "tests of upgrades need the history");
});

Deno.test("an action that is not pinned is found", () => {
  const pinned = `- uses: actions/checkout@${"0a".repeat(20)} # v5.0.0\n- run: a`;
  assertEquals(findMovableActions(pinned), []);
  assertEquals(findMovableActions("    - uses: actions/checkout@v5"), ["actions/checkout@v5"]);
});
