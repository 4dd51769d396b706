import { interceptConsole, toReadableLine } from "../../../supabase/local/request_log.ts";
import { assertEquals } from "../../support/assert.ts";

const now = new Date(2026, 10, 20, 4, 3, 22);
const request = {
  ...{ level: "info", event: "request_handled", requestId: "r-1", function: "messages-api" },
  ...{ method: "GET", route: "/messages-api/messages/:id", status: 200, durationMs: 43 },
};

Deno.test("a request is one readable line", () => {
  const read = (fields: object): string =>
    toReadableLine(JSON.stringify({ ...request, ...fields }), now);
  assertEquals(read({}), "04:03:22  200  GET     messages-api/messages/:id  43 ms");
  assertEquals(
    read({ function: "send-message", route: "/send-message/*", method: "POST", status: 401 }),
    "04:03:22  401  POST    send-message  43 ms",
  );
  assertEquals(
    read({ status: 404, errorCode: "message_not_found", instanceId: "i-1" }),
    "04:03:22  404  GET     messages-api/messages/:id  43 ms  errorCode=message_not_found instanceId=i-1",
  );
});

Deno.test("every other log line becomes one readable line, and any other text stays", () => {
  const run = { level: "info", event: "dispatch_completed", accepted: 1, failed: 0, left: null };
  assertEquals(
    toReadableLine(JSON.stringify(run), now),
    "04:03:22  dispatch_completed  accepted=1 failed=0",
  );
  const defect = { level: "error", event: "request_failed", errorName: "TypeError" };
  assertEquals(
    toReadableLine(JSON.stringify(defect), now),
    "04:03:22  ERROR  request_failed  errorName=TypeError",
  );
  for (const line of ["Listening", "{}", "{broken", "[1]", '{"level":"info"}', ""]) {
    assertEquals(toReadableLine(line, now), line);
  }
});

Deno.test("requests are shown after open(), errors always, and as JSON without a terminal", () => {
  const shown: unknown[] = [];
  const { log: formerLog, error: formerError } = console;
  try {
    // deno-lint-ignore no-console
    console.log = (...values: unknown[]): void => void shown.push(values);
    // deno-lint-ignore no-console
    console.error = (...values: unknown[]): void => void shown.push(values);
    const requestLog = interceptConsole({ stdout: false, stderr: false });
    const line = JSON.stringify(request);
    // deno-lint-ignore no-console
    console.log(line);
    // deno-lint-ignore no-console
    console.error("http_server_failed");
    requestLog.open();
    // deno-lint-ignore no-console
    console.log(line);
    assertEquals(shown, [["http_server_failed"], [line]]);
  } finally {
    // deno-lint-ignore no-console
    console.log = formerLog;
    // deno-lint-ignore no-console
    console.error = formerError;
  }
});
