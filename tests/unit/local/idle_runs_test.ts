import { isWorthPrinting } from "../../../supabase/local/idle_runs.ts";
import { assertEquals } from "../../support/assert.ts";

const run = (counts: Record<string, number>): string =>
  JSON.stringify({
    level: "info",
    event: "dispatch_completed",
    requestId: "a",
    durationMs: 2_000,
    ...counts,
  });
const request = (slug: string, status: number): string =>
  JSON.stringify({ event: "request_handled", requestId: "a", function: slug, status });

function showLines(lines: readonly string[]): string[] {
  return lines.filter(isWorthPrinting);
}

Deno.test("an idle run and the call that began it are hidden", () => {
  const lines = [request("dispatch-queue", 200), run({ accepted: 0, outboxRows: 0 })];
  assertEquals(showLines(lines), []);
});

Deno.test("a run with work keeps its line", () => {
  const lines = [run({ accepted: 1 }), run({ accepted: 0, woken: 1 })];
  assertEquals(showLines(lines), lines);
});

Deno.test("every other line is printed as it is", () => {
  const lines = [
    request("dispatch-queue", 401),
    request("dispatch-queue", 503),
    request("send-message", 200),
    JSON.stringify({ level: "error", event: "dispatch_step_failed" }),
    '{ "dispatch_completed" is not JSON',
    '{ "dispatch-queue" is not JSON',
    "",
    "plain words",
  ];
  assertEquals(showLines(lines), lines);
});
