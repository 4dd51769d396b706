import { assert, assertEquals } from "../support/assert.ts";
import { checkTypes } from "../support/runner/check_types.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";

Deno.test("wrong types are one failure that says what the check says, and right ones are none", async () => {
  await using folder = await makeTemporaryFolder();
  await Deno.writeTextFile(`${folder.path}/deno.json`, "{}");
  const check = async (text: string): ReturnType<typeof checkTypes> => {
    await Deno.writeTextFile(`${folder.path}/a_test.ts`, text);
    return await checkTypes({ root: folder.path, paths: ["."] });
  };
  const right = await check("export const count: number = 1;\n");
  assertEquals([right.counts.failed, right.results], [0, []]);
  const wrong = await check('export const count: number = "one";\n');
  assertEquals([wrong.counts.passed, wrong.counts.failed], [0, 1]);
  const [said] = wrong.results;
  assert(said?.failure?.includes("TS2322"), said?.failure);
});
