import { assertEquals } from "../../support/assert.ts";
import { type OutputLine, readOutput } from "../../support/runner/test_output.ts";

function readKinds(text: string): string[] {
  const read = readOutput();
  return text.split("\n").map((line) => describe(read(line)));
}

function describe(line: OutputLine): string {
  if (line.kind === "ended") return `${line.outcome}${line.isTold ? ", told" : ""}`;
  return line.kind === "told" ? `told ${line.failure.name}` : line.kind;
}

Deno.test("each test's end is read, in parallel and one after the other, and no step's", () => {
  const outcomes: readonly (readonly [line: string, kind: string])[] = [
    ["./tests/unit/a_test.ts => a name ... ok (3ms)", "passed"],
    ["a name, with (brackets) and => arrows ... ok (1m3s)", "passed"],
    ["a name ... FAILED (499µs)", "failed"],
    ["a name ... FAILED (due to 1 failed step) (2ms)", "failed"],
    ["./tests/unit/a_test.ts => a name ... cancelled (0ms)", "failed"],
    ["a name ... ignored (0ms)", "skipped"],
    ["a name ... \u001b[0m\u001b[32mok\u001b[0m \u001b[0m\u001b[38;5;245m(3ms)\u001b[0m", "passed"],
    ["./tests/unit/a_test.ts => a name ... a step ... ok (0ms)", "other"],
    ["  a step ... ok (0ms)", "other"],
    ["running 3 tests from ./tests/unit/a_test.ts", "other"],
    ["a name ...", "other"],
    ["'a name' has been running for over (1m0s)", "other"],
    ["ok | 3 passed | 0 failed (5ms)", "other"],
  ];
  for (const [line, kind] of outcomes) assertEquals(readKinds(line), [kind], line);
});

Deno.test("what a test prints is told from results, though it looks like one", () => {
  const output = `------- output -------
killed: seed 7
another ... ok (3ms)
a ...----- output end -----
a ... ok (3ms)
------- post-test output -------
late
----- post-test output end -----`;
  assertEquals(readKinds(output), [
    ...["dropped", "printed", "printed", "dropped", "passed"],
    ...["dropped", "printed", "dropped"],
  ]);
});

Deno.test("a failure that was told is not repeated, and each other one is kept", () => {
  const failure = JSON.stringify({ name: "a", place: "file:///a_test.ts:1:6", text: "Error\n at" });
  const output = `half a line \u001efailed test ${failure}
./a_test.ts => a ... FAILED (3ms)
./a_test.ts => b ... FAILED (3ms)

 ERRORS 

a => ./a_test.ts:1:6
error: Error
    at file:///a_test.ts:2:9
b => ./a_test.ts:5:6
error: Leaks detected:
./c_test.ts (uncaught error)
error: Error: late

 FAILURES 

a => ./a_test.ts:1:6`;
  assertEquals(readKinds(output), [
    ...["told a", "failed, told", "failed", "other", "dropped", "other"],
    ...["dropped", "dropped", "dropped", "other", "other", "other", "other", "other"],
    ...["dropped", "other", "dropped"],
  ]);
});
