import { assertEquals } from "../../support/assert.ts";
import { followProgress, type Progress } from "../../support/runner/progress.ts";

const workers = { apps: 1, processes: 2 };
const estimated = (tests: number, seconds: number): Parameters<Progress["add"]>[1] => ({
  tests,
  seconds,
  files: 1,
  knownFiles: 1,
});

Deno.test("progress is tests of all, failures, and seconds by the tests that are left", () => {
  const progress = followProgress(workers);
  const part = progress.add("apps", estimated(100, 200));
  assertEquals(progress.describe(0), "0 of 100 tests, 0 failed, about 200 s left");
  part.start(0);
  for (let done = 0; done < 50; done++) part.count(done === 0 ? "failed" : "passed");
  // However long they took.
  assertEquals(progress.describe(3), "50 of 100 tests, 1 failed, about 100 s left");
  part.end();
  assertEquals(progress.describe(3), "50 of 100 tests, 1 failed, about 0 s left");
});

Deno.test("a part of few tests is estimated by its time, and never below none", () => {
  const progress = followProgress(workers);
  progress.add("processes", estimated(2, 60)).start(10);
  assertEquals(progress.describe(30), "0 of 2 tests, 0 failed, about 40 s left");
  assertEquals(progress.describe(90), "0 of 2 tests, 0 failed, about 0 s left");
});

Deno.test("parts wait for a worker, and the worker of apps helps when its own are done", () => {
  const left = (...seconds: number[]): string => {
    const progress = followProgress(workers);
    progress.add("apps", estimated(1, 30));
    for (const each of seconds) progress.add("processes", estimated(1, each));
    return progress.describe(0).replace(/.*about /, "");
  };
  assertEquals(left(40, 40), "40 s left");
  assertEquals(left(40, 40, 40), "70 s left");
  assertEquals(left(100, 10, 10, 10), "100 s left");
});

Deno.test("where most files have never run, tests are counted without an estimate", () => {
  const progress = followProgress(workers);
  const unknown = { tests: 0, seconds: 0, files: 1, knownFiles: 0 };
  progress.add("apps", unknown).count("passed");
  progress.add("processes", estimated(4, 9));
  assertEquals(progress.describe(15.2), "1 tests, 0 failed, after 15 s");
  progress.add("processes", estimated(5, 9));
  assertEquals(progress.describe(15.2), "1 of at least 9 tests, 0 failed, about 9 s left");
});
