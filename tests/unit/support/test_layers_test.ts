import { assertEquals, assertThrows } from "../../support/assert.ts";
import { readFaultSettings } from "../../support/faults/settings.ts";
import { formatCounts, readCounts, readSummaryLine } from "../../support/runner/test_layers.ts";

Deno.test("the summary line of deno test is read with its steps, colours and ignored tests", () => {
  assertEquals(readSummaryLine("ok | 3 passed | 0 failed (5ms)"), {
    passed: 3,
    failed: 0,
    skipped: 0,
  });
  assertEquals(
    readSummaryLine(
      "\u001b[0m\u001b[31mFAILED\u001b[0m | 12 passed (4 steps) | 2 failed (1 step) | 3 ignored | 9 filtered out \u001b[90m(1s)\u001b[0m",
    ),
    { passed: 12, failed: 2, skipped: 3 },
  );
});

Deno.test("other lines are not a summary", () => {
  assertEquals(readSummaryLine("a test that is ok | 3 passed | 0 failed"), undefined);
  assertEquals(readSummaryLine("running 3 tests"), undefined);
});

Deno.test("the last line names skipped tests only if there are any", () => {
  assertEquals(formatCounts({ passed: 3, failed: 1, skipped: 0 }), "3 passed, 1 failed");
  assertEquals(formatCounts({ passed: 3, failed: 0, skipped: 2 }), "3 passed, 0 failed, 2 skipped");
});

Deno.test("the last line of a run is read again, and no other line is", () => {
  for (
    const counts of [{ passed: 3, failed: 1, skipped: 0 }, { passed: 3, failed: 0, skipped: 2 }]
  ) {
    assertEquals(readCounts(formatCounts(counts)), counts);
  }
  for (const line of ["tests/unit: 3 passed, 0 failed in 2 s", "", "3 of 9 tests, 0 failed"]) {
    assertEquals(readCounts(line), undefined);
  }
});

Deno.test("the settings of the fault tests are whole numbers; anything else is an error", () => {
  assertEquals(readFaultSettings([]), {});
  assertEquals(readFaultSettings(["--kills=100", "--messages=2000", "--seed=0"]), {
    kills: 100,
    messages: 2000,
    seed: 0,
  });
  for (const args of [["--kills=many"], ["--kills=-1"], ["--kills=1.5"], ["--blows=1"]]) {
    assertThrows(() => readFaultSettings(args));
  }
});
