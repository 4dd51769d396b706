import { assertEquals } from "../../support/assert.ts";
import { openDisplay } from "../../support/runner/display.ts";
import { waitUntil } from "../../support/wait_until.ts";

Deno.test("on a terminal the last line is rewritten below what is printed, and gone at the end", () => {
  const written: string[] = [];
  const display = openDisplay({
    write: (text) => void written.push(text),
    describe: () => "3 of 9 tests, 0 failed",
    columns: 11,
  });
  display.print("a line");
  display.close();
  assertEquals(written, ["\r\u001b[Ka line\n3 of 9 tes", "\r\u001b[K"]);
});

Deno.test("elsewhere progress is a line now and then", async () => {
  const written: string[] = [];
  const display = openDisplay({
    write: (text) => void written.push(text),
    describe: () => "3 of 9 tests",
    columns: undefined,
    intervalMs: 1,
  });
  display.print("a line");
  await waitUntil(() => written.length > 2, { what: "two lines of progress" });
  display.close();
  assertEquals(written.slice(0, 3), ["a line\n", "3 of 9 tests\n", "3 of 9 tests\n"]);
});
