import { createIdleRunFilter } from "../../../supabase/local/idle_runs.ts";
import { assertEquals } from "../../support/assert.ts";

const run = (requestId: string, counts: Record<string, number>): string =>
  JSON.stringify({
    level: "info",
    event: "dispatch_completed",
    requestId,
    durationMs: 2_000,
    ...counts,
  });
const request = (requestId: string, status = 200): string =>
  JSON.stringify({ event: "request_handled", requestId, function: "dispatch-queue", status });

function showLines(lines: readonly string[]): string[] {
  return lines.filter(createIdleRunFilter());
}

Deno.test("both lines of an idle run are hidden, also for overlapping runs", () => {
  const idle = { accepted: 0, outboxRows: 0 };
  assertEquals(showLines([run("a", idle), run("b", idle), request("b"), request("a")]), []);
});

Deno.test("a run with work keeps both its lines", () => {
  const working: Record<string, number>[] = [{ accepted: 1 }, { accepted: 0, woken: 1 }];
  for (const counts of working) {
    const lines = [run("a", counts), request("a")];
    assertEquals(showLines(lines), lines);
  }
});

Deno.test("every other line is printed as it is", () => {
  const lines = [
    request("never seen"),
    request("refused", 401),
    JSON.stringify({
      event: "request_handled",
      function: "send-message",
      requestId: "c",
      status: 200,
    }),
    JSON.stringify({ level: "error", event: "dispatch_step_failed" }),
    "{ not JSON",
    "",
    "plain words",
  ];
  assertEquals(showLines(lines), lines);
});

Deno.test("a request id hides one request; a later request with the same id is printed", () => {
  const lines = [run("a", { accepted: 0 }), request("a"), request("a")];
  assertEquals(showLines(lines), [request("a")]);
});
