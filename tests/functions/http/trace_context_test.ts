import { createSendMessageApp } from "../../../functions/send-message/app.ts";
import { createApp } from "../../../shared/http/create_app.ts";
import { createBackground } from "../../../shared/runtime/background.ts";
import { consoleLog, type LogFields } from "../../../shared/runtime/log.ts";
import { assertEquals } from "../../support/assert.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { callApp } from "../../support/stack/app_calls.ts";

const traceparent = (digit: string): string => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;

/** Collects the lines that the product's log writes to the console. */
function recordConsole(): Disposable & { readonly lines: LogFields[] } {
  const lines: LogFields[] = [];
  const { log, error } = console;
  const record = (line: string): void => void lines.push(JSON.parse(line));
  Object.assign(console, { log: record, error: record });
  return { lines, [Symbol.dispose]: () => void Object.assign(console, { log, error }) };
}

Deno.test("every log line of a request carries its traceparent: of an error, and of what runs after the response too", async () => {
  using recorded = recordConsole();
  const { promise: later, resolve: goOn } = Promise.withResolvers<void>();
  const runAfterResponse = createBackground(consoleLog);
  const app = createApp({
    slug: "traced",
    log: consoleLog,
    routes: [{
      method: "GET",
      path: "/",
      handlers: [() => {
        runAfterResponse(async () => {
          await later;
          throw new Error("later");
        });
        throw new Error("now");
      }],
    }],
  });
  const ask = (header: string | undefined): Promise<unknown> =>
    Promise.resolve(
      app.request("/traced", header === undefined ? {} : { headers: { traceparent: header } }),
    );
  await Promise.all([
    ask(traceparent("a")),
    ask(traceparent("b")),
    ask(undefined),
    ask("00-not-valid-01"),
    app.request("/traced/x", { headers: { traceparent: traceparent("c") } }),
  ]);
  goOn();
  await waitUntil(() => recorded.lines.length === 13);
  const events = new Map<unknown, string[]>();
  for (const { event, traceparent: carried } of recorded.lines) {
    events.set(carried, [...events.get(carried) ?? [], String(event)].sort());
  }
  const ofOne = ["background_task_failed", "request_failed", "request_handled"];
  assertEquals(Object.fromEntries([...events].map(([key, value]) => [String(key), value])), {
    [traceparent("a")]: ofOne,
    [traceparent("b")]: ofOne,
    [traceparent("c")]: ["request_handled"],
    undefined: [...ofOne, ...ofOne].sort(),
  });
});

Deno.test("sends that share one database transaction keep each its own traceparent", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const app = createSendMessageApp({ ...stack.services, log: consoleLog });
  using recorded = recordConsole();
  const digits = [..."123456789"];
  await Promise.all(digits.map(async (digit) => {
    await callApp(app, "/send-message", {
      method: "POST",
      headers: {
        ...{ "X-Client-Token": tenant.token, "Content-Type": "application/json" },
        ...{ "X-Request-Id": digit, traceparent: traceparent(digit) },
      },
      body: JSON.stringify({
        ...{ instanceId: tenant.instanceId, phone: `551198765432${digit}` },
        ...{ messageType: "text", message: "Oi" },
      }),
    });
  }));
  const carried = recorded.lines.filter(({ event }) => event === "request_handled")
    .map(({ requestId, status, traceparent: value }) => [requestId, status, value]);
  assertEquals(carried.sort(), digits.map((digit) => [digit, 200, traceparent(digit)]));
});
