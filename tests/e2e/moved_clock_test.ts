/** `deno task test --clock`: other days. */

import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "../support/assert.ts";
import { findClockObstacle, prepareClock } from "../support/clock/moved_clock.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const obstacle = await findClockObstacle();
const ignore = obstacle !== null;
const reason = ignore ? ` (skipped: ${obstacle})` : "";
const dayMs = 86_400_000;
/** What reads clocks takes longer on a busy machine, and so do two clocks that are read in turn. */
const marginMs = 10 * 60_000;

Deno.test({
  name:
    `on a moved clock Deno, Postgres and a program without an environment have one day, and time-outs strike${reason}`,
  ignore,
  fn: async () => {
    const { clocks, struck } = JSON.parse(await runAhead(400, readClocks));
    for (const [program, readMs] of Object.entries<number>(clocks)) {
      const offMs = readMs - (Date.now() + 400 * dayMs);
      assert(Math.abs(offMs) < marginMs, `${program} is ${offMs} ms off`);
    }
    // query_canceled
    assertEquals(struck, "57014");
  },
});

Deno.test({
  name: `a clock can be moved within a moved clock${reason}`,
  ignore,
  fn: async () => {
    const script = `
      import { prepareClock } from "./tests/support/clock/moved_clock.ts";
      await using clock = await prepareClock(Date.now() + ${30 * dayMs});
      await clock.command(["date", "+%s"]).spawn().status;`;
    const seconds = Number(await runAhead(40, [Deno.execPath(), "eval", "--no-lock", script]));
    const offMs = seconds * 1_000 - (Date.now() + 70 * dayMs);
    assert(Math.abs(offMs) < marginMs, `${offMs} ms off`);
  },
});

Deno.test({
  name:
    `--clock runs the same program on the clock, says which that is, and ends as it does${reason}`,
  ignore,
  fn: async () => {
    await using folder = await makeTemporaryFolder();
    const program = `${folder.path}/program.ts`;
    await Deno.writeTextFile(
      program,
      `import { runOnClock } from "${root}tests/support/clock/run_on_clock.ts";
      const [option, clock] = Deno.args;
      const print = (line: string): void => console.log(line);
      const { signal } = new AbortController();
      if (option === "--clock") Deno.exit(await runOnClock({ clock, signal, print }));
      console.log(Deno.args.join(" "), new Date().toISOString());
      Deno.exit(7);`,
    );
    // Not in the root, whose lock file it would rewrite.
    const args = [program, "--clock", "2032-02-29T12:00Z", "a", "b"];
    const { code, output } = await runProgram(folder.path, args);
    assertMatch(
      output,
      /^The clock shows 2032-02-29T12:00:00Z: it is [\d.]+ days .+\na b 2032-02-29T/,
    );
    assertEquals(code, 7);
  },
});

Deno.test("a wrong clock is refused in a sentence", async () => {
  const { code, output } = await runProgram(root, [
    "tests/run.ts",
    ...["--clock", "2027-02-30T12:00Z", "unit"],
  ]);
  assertEquals(code, 2);
  assertStringIncludes(output, 'not "2027-02-30T12:00Z".');
});

const readClocks = [
  Deno.execPath(),
  ...["run", "-A", "--lock=deno.lock", "tests/support/clock/read_clocks.ts"],
];

/** @returns what a program prints on a clock that is so many days ahead. */
async function runAhead(days: number, args: readonly string[]): Promise<string> {
  const clock = await prepareClock(Date.now() + days * dayMs);
  if ("obstacle" in clock) throw new Error(clock.obstacle);
  await using _ = clock;
  const { success, stdout, stderr } = await clock.command(args, { cwd: root, stdin: "null" })
    .output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

async function runProgram(
  folder: string,
  args: readonly string[],
): Promise<{ code: number; output: string }> {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--lock=deno.lock", "-A", ...args],
    cwd: folder,
    stdin: "null",
  }).output();
  return { code, output: new TextDecoder().decode(stdout) };
}
