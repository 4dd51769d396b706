import { assertEquals } from "../../support/assert.ts";
import { addDurations, estimateRun, shareSeconds } from "../../support/runner/durations.ts";

const durations = {
  "tests/unit/a_test.ts": { "one": 2, "one more": 3 },
  "tests/unit/b_test.ts": { "two": 5 },
};

Deno.test("a run's seconds are shared by its tests, as long as each took, steps aside", () => {
  const result = (
    file: string,
    name: string,
    seconds: number,
  ): Parameters<typeof shareSeconds>[0][0] => ({
    file,
    name,
    seconds,
  });
  const shares = shareSeconds([
    result("a_test.ts", "long", 2.999),
    result("a_test.ts", "long > step", 2.9),
    result("a_test.ts", "1 > 0", 0.999),
    result("b_test.ts", "did not end", NaN),
  ], 8.002);
  assertEquals(shares, {
    "a_test.ts": { "long": 6, "1 > 0": 2 },
    "b_test.ts": { "did not end": 0.002 },
  });
});

Deno.test("a selection is estimated by its files and its filter", () => {
  const files = ["tests/unit/a_test.ts", "tests/unit/b_test.ts"];
  const estimate = (filter?: string, more: string[] = []): number[] =>
    Object.values(estimateRun(durations, [...files, ...more], filter));
  assertEquals(estimate(), [3, 10, 2, 2]);
  assertEquals(estimate("one"), [2, 5, 2, 2]);
  assertEquals(estimate("/^(?:two|one more)$/"), [2, 8, 2, 2]);
  assertEquals(estimate("/(/"), [3, 10, 2, 2]);
  assertEquals(estimate(undefined, ["tests/unit/new_test.ts"]), [3, 10, 3, 2]);
});

Deno.test("a run replaces its files' durations, and a filtered one those of its tests", () => {
  const run = { "tests/unit/a_test.ts": { "one": 7 } };
  assertEquals(addDurations(durations, run, false), { ...durations, ...run });
  assertEquals(addDurations(durations, run, true), {
    ...durations,
    "tests/unit/a_test.ts": { "one": 7, "one more": 3 },
  });
});
