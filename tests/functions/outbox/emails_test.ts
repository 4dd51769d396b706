import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import { shutdownEvent } from "../../../shared/runtime/shutdown.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { acceptEmail, answerNever, startHttpDouble } from "../../support/doubles/http_double.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { createOperator } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { waitUntil } from "../../support/wait_until.ts";

const phone = "5511987654321";

Deno.test("the e-mail leaves with the next look of the dispatcher, with the row's id as Idempotency-Key", async () => {
  await using stack = await startMessagingStack();
  await assign(stack);
  await stack.dispatch();
  const [row] = await stack.admin`select id, status, attempts from messaging.outbox`;
  assertEquals([row?.["status"], row?.["attempts"]], ["done", 1]);
  const [email] = stack.mail.requests;
  assertEquals(email?.headers.get("idempotency-key"), row?.["id"]);
  assertEquals(email?.headers.get("authorization"), "Bearer re_test");
  assertEquals(email?.json["from"], "API <api@example.com>");
  await letTimePass(stack.admin, 86_400);
  await stack.dispatch();
  assertEquals(stack.mail.requests.length, 1, "once on success");
});

Deno.test("a failed e-mail is tried again by the dispatcher with the same key until it is sent", async () => {
  await using stack = await startMessagingStack();
  stack.mail.answer = () =>
    Response.json({ name: "rate_limit_exceeded", message: "slow" }, { status: 429 });
  await assign(stack);
  await stack.dispatch();
  stack.mail.answer = () => new Response("<html>", { status: 502 });
  // Puts the next try a minute off, so that it is still early on a slow machine.
  await letTimePass(stack.admin, -60);
  await stack.dispatch();
  assertEquals(stack.mail.requests.length, 1, "it waits");
  await letTimePass(stack.admin, 120);
  await stack.dispatch();
  stack.mail.answer = acceptEmail;
  await letTimePass(stack.admin, 60);
  const report = await stack.dispatch();
  assertEquals(report.outboxRows, 1);
  const [row] = await stack.admin`select id, status, attempts from messaging.outbox`;
  assertEquals([row?.["status"], row?.["attempts"]], ["done", 3]);
  assertEquals(stack.mail.requests.map((email) => email.headers.get("idempotency-key")), [
    row?.["id"],
    row?.["id"],
    row?.["id"],
  ]);
  const bodies = stack.mail.requests.map((email) => JSON.stringify(email.json));
  assertEquals(new Set(bodies).size, 1, "the same body each time, as the key demands");
});

Deno.test("Retry-After of the mail service is kept to", async () => {
  await using stack = await startMessagingStack();
  stack.mail.answer = () =>
    Response.json({ name: "rate_limit_exceeded" }, {
      status: 429,
      headers: { "Retry-After": "300" },
    });
  await assign(stack);
  await stack.dispatch();
  // A minute is left for a slow machine.
  await letTimePass(stack.admin, 240);
  await stack.dispatch();
  assertEquals(stack.mail.requests.length, 1);
  await letTimePass(stack.admin, 61);
  await stack.dispatch();
  assertEquals(stack.mail.requests.length, 2);
});

Deno.test("an e-mail that the mail service will never take is dead at once, and visible", async () => {
  await using stack = await startMessagingStack();
  stack.mail.answer = () =>
    Response.json({ name: "invalid_parameter", message: "to" }, { status: 422 });
  await assign(stack);
  await stack.dispatch();
  await letTimePass(stack.admin, 86_400);
  await stack.dispatch();
  assertEquals(stack.mail.requests.length, 1);
  const [row] = await stack.admin`select status, last_error from messaging.outbox`;
  assertEquals({ ...row }, { status: "dead", last_error: "invalid_parameter" });
});

Deno.test("every refusal of the e-mail itself is final: one try, the reason kept", async () => {
  const refusals: readonly (readonly [status: number, name: string])[] = [
    [422, "validation_error"],
    [400, "validation_error"],
    [422, "missing_required_field"],
    [422, "invalid_access"],
    [400, "invalid_idempotency_key"],
    [409, "invalid_idempotent_request"],
    [451, "security_error"],
  ];
  for (const [statusCode, name] of refusals) {
    await using stack = await startMessagingStack();
    stack.mail.answer = () =>
      Response.json({ statusCode, name, message: "to" }, { status: statusCode });
    await assign(stack);
    await stack.dispatch();
    await letTimePass(stack.admin, 86_400);
    await stack.dispatch();
    assertEquals(stack.mail.requests.length, 1, name);
    const [row] = await stack.admin`select status, last_error from messaging.outbox`;
    assertEquals({ ...row }, { status: "dead", last_error: name });
    const dead = stack.logLines.filter(({ event }) => event === "outbox_row_dead_lettered");
    assertEquals(dead.map(({ fields }) => fields["error"]), [name]);
  }
});

Deno.test("a refusal that an operator can put right, or that passes, is tried again", async () => {
  const refusals: readonly (readonly [status: number, name: string])[] = [
    [401, "missing_api_key"],
    [403, "invalid_api_key"],
    [403, "validation_error"],
    [422, "invalid_from_address"],
    [409, "concurrent_idempotent_requests"],
    [429, "daily_quota_exceeded"],
    [500, "internal_server_error"],
  ];
  for (const [statusCode, name] of refusals) {
    await using stack = await startMessagingStack();
    stack.mail.answer = () =>
      Response.json({ statusCode, name, message: "domain" }, { status: statusCode });
    await assign(stack);
    await stack.dispatch();
    const [row] = await stack.admin`select status, last_error from messaging.outbox`;
    assertEquals({ ...row }, { status: "pending", last_error: name });
  }
});

Deno.test("an e-mail is sent only when the mail service itself says so: no redirect, no other's 200", async () => {
  await using elsewhere = startHttpDouble(acceptEmail);
  const headers = { location: `${elsewhere.baseUrl}/emails` };
  const answers: readonly (readonly [error: string, answer: () => Response])[] = [
    ...[301, 302, 303, 307, 308].map((status) =>
      ["application_error", () => new Response(null, { status, headers })] as const
    ),
    ["no_email_id", () => Response.json({})],
    ["no_email_id", () => Response.json({ id: 7 })],
    ["no_email_id", () => Response.json(null)],
  ];
  for (const [error, answer] of answers) {
    await using stack = await startMessagingStack();
    stack.mail.answer = answer;
    await assign(stack);
    await stack.dispatch();
    assertEquals(stack.mail.requests.length, 1);
    const [row] = await stack.admin`select status, last_error from messaging.outbox`;
    assertEquals({ ...row }, { status: "pending", last_error: error });
  }
  assertEquals(elsewhere.requests, []);
});

Deno.test("a refusal of the mail service without a name is recorded in a fixed word", async () => {
  const bodies: readonly (readonly [error: string, body: unknown])[] = [
    ["unnamed_error", { message: "Too many requests" }],
    ["unnamed_error_429", { statusCode: 429, message: "Too many requests" }],
    ["unnamed_error", { name: "to bia@example.com" }],
    ["unnamed_error", []],
    ["unnamed_error", "Unauthorized"],
    ["no_email_id", null],
  ];
  for (const [error, body] of bodies) {
    await using stack = await startMessagingStack();
    stack.mail.answer = () => Response.json(body, { status: 429 });
    await assign(stack);
    await stack.dispatch();
    const [row] = await stack.admin`select status, last_error from messaging.outbox`;
    assertEquals({ ...row }, { status: "pending", last_error: error });
  }
});

Deno.test("an e-mail that never succeeds is dead after 12 tries, not before", async () => {
  await using stack = await startMessagingStack();
  stack.mail.answer = () => Response.json({ name: "application_error" }, { status: 500 });
  await assign(stack);
  await stack.dispatch();
  for (let attempt = 2; attempt <= 12; attempt++) {
    const [row] = await stack.admin`select status from messaging.outbox`;
    assertEquals(row?.["status"], "pending", `before try ${attempt}`);
    await letTimePass(stack.admin, 7_201);
    await stack.dispatch({ durationMs: 60 });
  }
  assertEquals(stack.mail.requests.length, 12);
  const [row] = await stack.admin`select status from messaging.outbox`;
  assertEquals(row?.["status"], "dead");
});

Deno.test("a process that dies with an e-mail in hand leaves it to the dispatcher", async () => {
  await using stack = await startMessagingStack();
  await assign(stack);
  await stack.database.rpc("claim_outbox", {
    kinds: ["assignment_email"],
    maxRows: 1,
    leaseSeconds: 60,
  });
  await stack.dispatch();
  assertEquals(stack.mail.requests.length, 0, "somebody has it in hand");
  await letTimePass(stack.admin, 61);
  await stack.dispatch();
  assertEquals(stack.mail.requests.length, 1);
});

Deno.test("an e-mail whose every worker died is given up after its last try, visible and retriable", async () => {
  await using stack = await startMessagingStack();
  await assign(stack);
  const claim = { kinds: ["assignment_email"], maxRows: 1, leaseSeconds: 60 } as const;
  for (let attempt = 1; attempt <= 12; attempt++) {
    const { rows } = await stack.database.rpc("claim_outbox", claim);
    assertEquals(rows.length, 1, `try ${attempt}`);
    await letTimePass(stack.admin, 61);
  }
  await stack.dispatch();
  assertEquals(stack.mail.requests.length, 0);
  const [row] = await stack.admin`select id, status, last_error from messaging.outbox`;
  assertEquals([row?.["status"], row?.["last_error"]], ["dead", "worker_lost"]);
  await stack.database.rpc("retry_outbox", { outboxId: row?.["id"], idempotency: null });
  await stack.dispatch();
  assertEquals(stack.mail.requests.length, 1);
});

Deno.test("a defect in the work on a row is a log line, and the row is tried again", async () => {
  await using stack = await startMessagingStack();
  await assign(stack);
  await stack.admin`update messaging.outbox set payload = '{"operatorEmail": 7}'`;
  await stack.dispatch();
  const [row] = await stack.admin`select id, status, last_error from messaging.outbox`;
  assertEquals([row?.["status"], row?.["last_error"]], ["pending", "ZodError"]);
  const lines = stack.logLines.filter(({ event }) => event === "outbox_delivery_failed");
  assertEquals(lines.map(({ fields }) => [fields["outboxId"], fields["kind"]]), [
    [row?.["id"], "assignment_email"],
  ]);
});

Deno.test("a mail service that never answers does not hold up a run for ever", async () => {
  const providerTimeoutMs = 20_123;
  using timeouts = holdTimers(providerTimeoutMs);
  await using stack = await startMessagingStack({ providerTimeoutMs });
  stack.mail.answer = () => {
    timeouts.end();
    return answerNever();
  };
  await assign(stack);
  await stack.dispatchOnce({ durationMs: 100 });
  const [row] = await stack.admin`select status, last_error from messaging.outbox`;
  assertEquals(row?.["status"], "pending");
});

Deno.test("a slow mail service costs no row an attempt that nobody made", async () => {
  const providerTimeoutMs = 20_123;
  using timeouts = holdTimers(providerTimeoutMs);
  await using stack = await startMessagingStack({ providerTimeoutMs });
  let polls = 0;
  const database: typeof stack.database = {
    ...stack.database,
    rpc: async (name, request) => {
      if (name === "claim_due_messages") polls += 1;
      return await stack.database.rpc(name, request).finally(() => {
        if (name === "claim_due_messages") polls -= 1;
      });
    },
  };
  let isOver = false;
  stack.mail.answer = () => {
    if (isOver) timeouts.end();
    return answerNever();
  };
  for (let count = 0; count < 5; count++) await assign(stack);
  const deliverAgentReply = (): Promise<never> => Promise.reject(new Error("no reply is expected"));
  const run = runDispatch({ ...stack.services, database, deliverAgentReply }, {
    ...{ durationMs: 600_000, maxMessages: 1_000 },
  });
  await waitUntil(() => stack.mail.requests.length === 1, { what: "the first e-mail" });
  // The service is slower than the run is long.
  dispatchEvent(new Event(shutdownEvent));
  await waitUntil(() => polls === 0, { what: "the end of the last poll" });
  await new Promise((resolve) => setTimeout(resolve));
  isOver = true;
  timeouts.end();
  await run;
  const rows = await stack.admin`select attempts, claim_token from messaging.outbox`;
  const attempts = rows.reduce((sum, row) => sum + row["attempts"], 0);
  assertEquals(attempts, stack.mail.requests.length);
  assert(attempts <= 2, `${attempts} attempts`);
  assertEquals(rows.filter((row) => row["claim_token"] !== null), []);
});

async function assign(stack: MessagingStack): Promise<void> {
  const tenant = await stack.createTenant();
  const email = "bia@example.com";
  await createOperator(stack.admin, tenant.workspaceId, { name: "Bia", email });
  const answer = await stack.send(tenant, { phone, assignTo: email });
  assertEquals(answer.status, 200, JSON.stringify(answer.body));
}
