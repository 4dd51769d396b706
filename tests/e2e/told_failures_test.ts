import { assert, assertEquals, assertMatch, assertNotMatch } from "../support/assert.ts";
import { runLayer } from "../support/runner/run_layer.ts";
import { testLayers } from "../support/runner/test_layers.ts";
import { readOutput, type ToldFailure } from "../support/runner/test_output.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";

Deno.test("a failure is told whole while other tests run, with where it is, and is listed at the end", async () => {
  await using folder = await makeTemporaryFolder();
  const file = `${folder.path}/a_test.ts`;
  // The second test ends only when the failure of the first was told.
  await Deno.writeTextFile(
    file,
    `Deno.test("fails", () => {
       throw new Error("no", { cause: new Error("why") });
     });
     Deno.test({ name: "waits", fn: async () => {
       while (!await Deno.stat("${folder.path}/told").catch(() => null)) {
         await new Promise((resolve) => setTimeout(resolve, 10));
       }
     } });`,
  );
  const layer = testLayers.find(({ name }) => name === "faults");
  assert(layer !== undefined);
  const failures: ToldFailure[] = [];
  const read = readOutput();
  const { counts, results } = await runLayer({
    layer: { ...layer, paths: [file] },
    options: { filter: undefined, settings: {} },
    server: undefined,
    signal: AbortSignal.timeout(300_000),
    write: (text) => {
      const line = read(text);
      if (line.kind !== "told") return;
      failures.push(line.failure);
      Deno.writeTextFileSync(`${folder.path}/told`, "");
    },
  });
  assertEquals(failures.map(({ name }) => name), ["fails"]);
  const [told] = failures;
  assert(told?.place.startsWith(`file://${file}:1:`), told?.place);
  assertMatch(told?.text ?? "", /Error: no\n[^]*why/);
  assertNotMatch(told?.text ?? "", /ext:cli/);
  assertEquals([counts.passed, counts.failed], [1, 1]);
  assertEquals(results.map(({ name, failure }) => [name, failure === undefined]), [
    ["fails", false],
    ["waits", true],
  ]);
});

Deno.test("a test that never ends fails, and the others run", async () => {
  await using folder = await makeTemporaryFolder();
  const file = `${folder.path}/a_test.ts`;
  await Deno.writeTextFile(
    file,
    `Deno.test("hangs", () => new Promise(() => {}));
     Deno.test("ends", () => {});`,
  );
  const layer = testLayers.find(({ name }) => name === "faults");
  assert(layer !== undefined);
  const { counts, results } = await runLayer({
    layer: { ...layer, paths: [file] },
    options: { filter: undefined, settings: {} },
    server: undefined,
    signal: AbortSignal.timeout(300_000),
    testTimeoutMs: 2_000,
    write: () => {},
  });
  assertEquals([counts.passed, counts.failed], [1, 1]);
  assertMatch(results[0]?.failure ?? "", /the test did not end in 2 s/);
});
