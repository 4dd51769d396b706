import type { RecordedTest } from "../../mutants/coverage.ts";
import { findCallers } from "../../mutants/function_calls.ts";
import { huntMutant, type Verdict } from "../../mutants/kills.ts";
import { type Mutant, sampleMutants } from "../../mutants/mutant.ts";
import { orderTests } from "../../mutants/test_order.ts";
import type { TestOutcome } from "../../mutants/test_process.ts";
import type { LoadedTest } from "../../mutants/test_worker.ts";
import { assert, assertEquals } from "../../support/assert.ts";

const mutant: Mutant = {
  ...{ file: "f.sql", line: 1, what: "< became <=", before: "a < b", after: "a <= b", text: "" },
};

function loaded(...names: readonly string[]): LoadedTest[] {
  return names.map((name, id) => ({ id, name, file: "a_test.ts", source: `test("${name}")` }));
}

/** Runs tests of which these are red, where the rule is broken and where it is whole. */
function huntWith(
  red: { readonly broken: string; readonly original?: string },
  isWhole = false,
): Promise<Verdict> {
  const runner = (names = "") => ({ name }: LoadedTest): Promise<TestOutcome> =>
    Promise.resolve({ seconds: 0, failure: names.includes(name) ? "red" : null });
  return huntMutant(mutant, {
    tests: loaded("a", "b", "c"),
    secondsOf: () => undefined,
    isReaching: ({ name }) => name !== "a",
    runBroken: runner(red.broken),
    runOriginal: runner(red.original),
    ...{ seconds: 60, isWhole },
  });
}

Deno.test("the hunt for a mutant ends with the first test that is red", async () => {
  const { killers, ran, left } = await huntWith({ broken: "bc" });
  assertEquals([killers.map(({ test }) => test.name), ran, left], [["b"], 1, 1]);
});

Deno.test("a whole hunt names every test that is red", async () => {
  const { killers, ran } = await huntWith({ broken: "bc" }, true);
  assertEquals([killers.map(({ test }) => test.name), ran], [["b", "c"], 2]);
});

Deno.test("a test that is red where nothing is broken kills no mutant", async () => {
  const { killers, ran } = await huntWith({ broken: "b", original: "b" });
  assertEquals([killers, ran], [[], 2]);
});

Deno.test("tests come in the order of their chance and their cost, without those that reach nothing", () => {
  const recording: Readonly<Record<string, RecordedTest>> = {
    broad: { seconds: 1, functions: ["m.f", "m.g", "m.h"] },
    narrow: { seconds: 1, functions: ["m.f"] },
    killer: { seconds: 2, functions: ["m.f", "m.g"] },
    elsewhere: { seconds: 1, functions: ["m.g"] },
  };
  const texts: Readonly<Record<string, string>> = {
    "names the caller": `call("g")`,
    "names it": "messaging.f()",
    "has the word": "",
    "names nothing": "",
  };
  const tests = loaded(...Object.keys(recording), ...Object.keys(texts));
  const ordered = orderTests(tests, {
    recorded: ({ name }) => recording[name],
    textOf: ({ name }) => texts[name] ?? "",
    shownBy: new Set(["m.f"]),
    leadingTo: new Set(["m.f", "public.g"]),
    words: ["word"],
    subjects: ["no_such_path"],
    killers: new Map([["a_test.ts\nkiller", 1]]),
  });
  assertEquals(
    ordered.map(({ name }) => name),
    [
      ...["killer", "narrow", "broad"],
      ...["has the word", "names it", "names the caller", "names nothing"],
    ],
  );
});

Deno.test("a function without calls of its own is shown by those that it is inlined into", () => {
  const { shownBy, leadingTo } = findCallers([
    { name: "messaging.rule", source: "select 1", isInlined: true },
    { name: "messaging.outer_rule", source: "select messaging.rule()", isInlined: true },
    { name: "public.call", source: "x := messaging.outer_rule ();", isInlined: false },
    { name: "public.caller", source: "perform public.call()", isInlined: false },
  ]);
  const shown = ["messaging.outer_rule", "messaging.rule", "public.call"];
  assertEquals([...shownBy("messaging.rule")].sort(), shown);
  assertEquals([...leadingTo("messaging.rule")].sort(), [...shown, "public.caller"]);
});

Deno.test("a sample is the same for the same seed, and in the order of the files", () => {
  const all = Array.from({ length: 50 }, (_, line) => ({ ...mutant, line }));
  const lines = (seed: number): number[] =>
    sampleMutants(all, { limit: 10, seed }).map(({ line }) => line);
  assertEquals(lines(7), lines(7));
  assertEquals(lines(7), lines(7).toSorted((a, b) => a - b));
  assert(String(lines(7)) !== String(lines(8)));
});
