import { assert, assertEquals, assertRejects } from "../../../tests/support/assert.ts";
import { holdTimers } from "../../../tests/support/held_timers.ts";
import { ApiError, Client, ConnectionError } from "../src/index.ts";
import { waitUntil } from "../../../tests/support/wait_until.ts";
import {
  inOrder,
  type ReceivedRequest,
  startScriptedServer,
  type Step,
} from "./scripted_server.ts";

const text = {
  instanceId: "demo",
  phone: "5511988887777",
  messageType: "text",
  message: "Oi",
} as const;
const sent = { status: 200, body: { success: true, mode: "sent", messageId: "m1" } };
const keysOf = (requests: readonly ReceivedRequest[]): (string | null)[] =>
  requests.map(({ headers }) => headers.get("idempotency-key"));
const refusal = (
  status: number,
  error: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = { "retry-after": "0" },
): Step => ({ status, headers, body: { success: false, error, message: "Refused.", ...more } });

/** The time limit of a test's attempts, which ends when the test says so. */
const heldTimeoutMs = 60_007;

/** Each is repeated with the key of the first attempt, and succeeds. */
const repeated: readonly (readonly [what: string, step: Step])[] = [
  ["429 with Retry-After", refusal(429, "rate_limited")],
  ["503", refusal(503, "service_unavailable")],
  ["409 of the same key in progress", refusal(409, "idempotency_key_in_progress")],
  ["502 that is retryable", refusal(502, "provider_send_failed", { retryable: true })],
  ["a connection cut before the request", "cut_before"],
  ["a connection cut after the request", "cut_after"],
];

for (const [what, step] of repeated) {
  Deno.test(`${what}: repeated with the same key and body, and answered`, async () => {
    await using server = startScriptedServer(inOrder(step, sent));
    const client = new Client({ baseUrl: server.baseUrl, token: "mia_x" });
    const answer = await client.messages.send(text);
    assertEquals(answer.mode, "sent");
    assertEquals(server.connections(), 2);
    assertEquals(new Set(keysOf(server.requests)).size, 1);
    assertEquals(keysOf(server.requests)[0]?.startsWith("auto_"), true);
    for (const { body } of server.requests) assertEquals(JSON.parse(body), text);
  });
}

/** None is repeated: the caller has to correct it, or to look. */
const final: readonly (readonly [what: string, step: Step, status: number, code: string])[] = [
  ["504 unknown", refusal(504, "provider_outcome_unknown"), 504, "provider_outcome_unknown"],
  [
    "504 that claims to be retryable",
    refusal(504, "provider_outcome_unknown", { retryable: true }),
    504,
    "provider_outcome_unknown",
  ],
  ["a proxy's 504", { status: 504, body: "<html>" }, 504, "http_504"],
  [
    "502 for good",
    refusal(502, "provider_send_failed", { retryable: false }),
    502,
    "provider_send_failed",
  ],
  ["another 409", refusal(409, "contact_blocked"), 409, "contact_blocked"],
  ["400", refusal(400, "invalid_request"), 400, "invalid_request"],
  ["500", refusal(500, "internal_error"), 500, "internal_error"],
  [
    "429 that asks for an hour",
    refusal(429, "rate_limited", {}, { "retry-after": "3600" }),
    429,
    "rate_limited",
  ],
];

for (const [what, step, status, code] of final) {
  Deno.test(`${what}: never repeated, told as an error`, async () => {
    await using server = startScriptedServer(inOrder(step, sent));
    const client = new Client({ baseUrl: server.baseUrl, token: "mia_x" });
    const error = await assertRejects(() => client.messages.send(text), ApiError);
    assertEquals([error.status, error.code, server.connections()], [status, code, 1]);
    assertEquals(error.idempotencyKey, keysOf(server.requests)[0]);
  });
}

Deno.test("an error tells its request, its fields and what else the answer has", async () => {
  const issues = [{ path: "phone", message: "too short" }];
  const step = {
    status: 400,
    headers: { "x-request-id": "r-1" },
    body: {
      error: "invalid_phone",
      message: "No phone.",
      issues,
      details: { a: 1 },
      contactId: "c",
    },
  };
  await using server = startScriptedServer(() => step);
  const client = new Client({ baseUrl: server.baseUrl, token: "mia_x" });
  const error = await assertRejects(() => client.messages.send(text), ApiError);
  assertEquals([
    error.message,
    error.requestId,
    error.issues,
    error.details,
    error.body["contactId"],
  ], [
    "No phone.",
    "r-1",
    issues,
    { a: 1 },
    "c",
  ]);
});

Deno.test("Retry-After is waited for, in seconds or as a date, and told where the retries are over", async () => {
  const soon = (): string => new Date(Date.now() + 2_500).toUTCString();
  for (const retryAfter of [() => "1", soon]) {
    await using server = startScriptedServer((index) =>
      index > 0 ? sent : refusal(429, "rate_limited", {}, { "retry-after": retryAfter() })
    );
    const client = new Client({ baseUrl: server.baseUrl, token: "mia_x" });
    const startedAt = performance.now();
    await client.messages.send(text);
    // A date has whole seconds, and without the header it were half a second.
    assert(performance.now() - startedAt >= 990, String(retryAfter));
  }
  await using server = startScriptedServer(
    () => refusal(429, "rate_limited", {}, { "retry-after": "7" }),
  );
  const client = new Client({ baseUrl: server.baseUrl, token: "mia_x", maxRetries: 0 });
  const error = await assertRejects(() => client.messages.send(text), ApiError);
  assertEquals([error.retryAfterMs, server.connections()], [7_000, 1]);
});

Deno.test("a Retry-After longer than the longest timer is waited for as long as that one, not asked again at once", async () => {
  using timers = holdTimers(2 ** 31 - 1);
  const refused = refusal(429, "rate_limited", {}, { "retry-after": "9999999999" });
  await using server = startScriptedServer(inOrder(refused, sent));
  const client = new Client({ baseUrl: server.baseUrl, token: "mia_x", maxRetries: Infinity });
  const call = client.messages.send(text);
  await waitUntil(() => timers.count() === 1, { what: "the pause" });
  assertEquals(server.connections(), 1);
  timers.end();
  assertEquals([(await call).mode, server.connections()], ["sent", 2]);
});

Deno.test("whatever is cut, refused or late, the server has sent once: every attempt has one key", async () => {
  const executed = new Set<string>();
  const steps: readonly Step[] = ["cut_before", "cut_after", "silent", refusal(503, "x"), sent];
  using timers = holdTimers(heldTimeoutMs);
  await using server = startScriptedServer((index, request) => {
    const step = steps[index] ?? sent;
    const isExecuted = request !== null && (typeof step === "string" || step.status === 200);
    if (isExecuted) executed.add(request.headers.get("idempotency-key") ?? "none");
    // Only the attempt that gets no answer is late, however slow the others are.
    if (request !== null && step === "silent") timers.end();
    return step;
  });
  const client = new Client({ baseUrl: server.baseUrl, token: "mia_x", maxRetries: 4 });
  await client.messages.send(text, { timeoutMs: heldTimeoutMs, idempotencyKey: "order-4711" });
  assertEquals([[...executed], server.connections()], [["order-4711"], 5]);
});

Deno.test("only a call that needs a key makes one", async () => {
  await using server = startScriptedServer(() => sent);
  const client = new Client({ baseUrl: server.baseUrl, token: "mia_x" });
  const { getRandomValues } = crypto;
  let made = 0;
  crypto.getRandomValues = ((bytes: Uint8Array<ArrayBuffer>) => {
    made++;
    return getRandomValues.call(crypto, bytes);
  }) as Crypto["getRandomValues"];
  try {
    await client.messages.get("m1");
    await client.messages.move("m1", { expiresAt: "2030-01-01T00:00:00Z" });
    await client.contacts.erase("c1");
    await client.messages.send(text, { idempotencyKey: "order-4711" });
    assertEquals([made, keysOf(server.requests)], [0, [null, null, null, "order-4711"]]);
    await client.messages.send(text);
    assertEquals(made, 1);
  } finally {
    crypto.getRandomValues = getRandomValues;
  }
});

Deno.test("two calls of a method have two keys", async () => {
  await using server = startScriptedServer(() => sent);
  const client = new Client({ baseUrl: server.baseUrl, token: "mia_x" });
  await client.messages.send(text);
  await client.messages.send(text);
  assertEquals(new Set(keysOf(server.requests)).size, 2);
});

Deno.test("a change without a key is not repeated after a cut: it may have been made", async () => {
  for (
    const change of [
      (client: Client) => client.messages.move("m1", { expiresAt: "2030-01-01T00:00:00Z" }),
      (client: Client) => client.contacts.erase("c1"),
    ]
  ) {
    await using server = startScriptedServer(inOrder("cut_after", sent));
    const client = new Client({ baseUrl: server.baseUrl, token: "mia_x" });
    const error = await assertRejects(() => change(client), ConnectionError);
    assertEquals([error.idempotencyKey, server.connections()], [undefined, 1]);
  }
  await using server = startScriptedServer(inOrder("cut_after", sent));
  await new Client({ baseUrl: server.baseUrl, token: "mia_x" }).messages.get("m1");
  assertEquals(server.connections(), 2);
});

Deno.test("an attempt without an answer ends after timeoutMs, and is told with its key when it was the last", async () => {
  using timers = holdTimers(heldTimeoutMs);
  await using server = startScriptedServer((_, request) => {
    // The time is over when the service has the request, not before.
    if (request !== null) timers.end();
    return "silent";
  });
  const client = new Client({
    baseUrl: server.baseUrl,
    token: "mia_x",
    timeoutMs: heldTimeoutMs,
    maxRetries: 1,
  });
  const error = await assertRejects(() => client.messages.send(text), ConnectionError);
  assert(error.message.includes(`no answer within ${heldTimeoutMs} ms`), error.message);
  assertEquals(keysOf(server.requests), [error.idempotencyKey ?? "", error.idempotencyKey ?? ""]);
});

Deno.test("an abort ends the call, in an attempt or between two, with the caller's reason", async () => {
  for (
    const step of ["silent", refusal(429, "rate_limited", {}, { "retry-after": "50" })] as const
  ) {
    await using server = startScriptedServer(() => step);
    const client = new Client({ baseUrl: server.baseUrl, token: "mia_x" });
    const controller = new AbortController();
    const reason = new Error("the shop closes");
    const call = client.messages.send(text, { signal: controller.signal });
    const ended = assertRejects(() => call, Error, "the shop closes");
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort(reason);
    await ended;
    assertEquals(server.connections(), 1);
    await assertRejects(() => client.messages.send(text, { signal: controller.signal }), Error);
    assertEquals(server.connections(), 1);
  }
});

Deno.test("an answer that is no JSON is no success", async () => {
  await using server = startScriptedServer(() => ({ status: 200, body: "<html>" }));
  const client = new Client({ baseUrl: server.baseUrl, token: "mia_x", maxRetries: 0 });
  const error = await assertRejects(() => client.messages.get("m1"), ConnectionError);
  assert(error.message.includes("no JSON"), error.message);
});
