import { parse } from "yaml";
import { assertEquals } from "../support/assert.ts";
import { readText } from "./repository.ts";

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

/** Actions that a tag or a branch names, which others can move. */
function findMovableActions(steps: readonly Step[]): string[] {
  return steps.flatMap(({ uses }) =>
    uses === undefined || /^[\w./-]+@[0-9a-f]{40}$/.test(uses) ? [] : [uses]
  );
}

Deno.test("CI runs .ci/run on each push and pull request, with actions pinned by commit", async () => {
  const workflow: Workflow = parse(await readText(".github/workflows/ci.yml"));
  assertEquals(Object.keys(workflow.on), ["push", "pull_request"]);
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
  assertEquals(steps.flatMap(({ run }) => run ?? []), [".ci/run"]);
  assertEquals(findMovableActions(steps), []);
});

Deno.test("an action that is not pinned is found", () => {
  const pinned = `actions/checkout@${"0a".repeat(20)}`;
  assertEquals(findMovableActions([{ uses: pinned }, { run: "x" }]), []);
  assertEquals(findMovableActions([{ uses: "actions/checkout@v5" }]), ["actions/checkout@v5"]);
});
