import { createSendMessageApp } from "../../../functions/send-message/app.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { acceptMessage, answerUnknown } from "../../support/doubles/http_double.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { createOperator, createToken, type Tenant } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { waitUntil } from "../../support/wait_until.ts";
import type { Database } from "../../../shared/database/database.ts";
import { callApp } from "../../support/stack/app_calls.ts";

const text = { phone: "5511987654321", messageType: "text", message: "Olá" };
const key = (value: string): Record<string, string> => ({ "Idempotency-Key": value });

Deno.test("the same key with the same body gets the first answer again and sends nothing", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const first = await stack.send(tenant, text, key("order-1"));
  assertEquals(first.headers.get("idempotent-replayed"), null);
  for (const spelling of ["order-1", '"order-1"', "  order-1  "]) {
    const again = await stack.send(tenant, text, key(spelling));
    assertEquals([again.status, again.body], [first.status, first.body]);
    assertEquals(again.headers.get("idempotent-replayed"), "true");
  }
  const { message, ...rest } = text;
  const reordered = await stack.send(tenant, { message, ...rest }, key("order-1"));
  assertEquals(reordered.body, first.body, "the order of the members does not matter");
  assertEquals(stack.provider.requests.length, 1);
  const other = await stack.send(tenant, text, key("order-2"));
  assert(other.body.messageId !== first.body.messageId);
});

Deno.test("the first answer is given again to the letter, whatever the provider said", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const refuse = (): Response => Response.json({ error: "no" }, { status: 400 });
  for (const answer of [acceptMessage, refuse]) {
    stack.provider.answer = answer;
    const first = await stack.send(tenant, text, key(answer.name));
    const again = await stack.send(tenant, text, key(answer.name));
    assertEquals(again.status, first.status);
    assertEquals(JSON.stringify(again.body), JSON.stringify(first.body));
  }
});

Deno.test("the same key with another body is 422", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.send(tenant, text, key("k"));
  const other = await stack.send(tenant, { ...text, message: "Oi" }, key("k"));
  assertEquals([other.status, other.body.error], [422, "idempotency_key_reused"]);
  assertEquals(stack.provider.requests.length, 1);
});

Deno.test("a key must have 1 to 255 characters", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (const bad of ["", '""', "k".repeat(256)]) {
    const answer = await stack.send(tenant, text, key(bad));
    assertEquals([answer.status, answer.body.error], [400, "invalid_request"], bad);
  }
  for (const good of ["k", "k".repeat(255), `"${"q".repeat(255)}"`]) {
    assertEquals((await stack.send(tenant, text, key(good))).status, 200);
  }
});

Deno.test("keys are per token", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const second = await createToken(stack.admin, tenant.instanceId);
  const one = await stack.send(tenant, text, key("k"));
  const two = await stack.send({ ...tenant, token: second.token }, text, key("k"));
  assert(one.body.messageId !== two.body.messageId);
  assertEquals(stack.provider.requests.length, 2);
});

Deno.test("100 simultaneous equal calls send once; the others hear that it runs or the same answer", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = async (request) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return acceptMessage(request);
  };
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => stack.send(tenant, text, key("k"))),
  );
  assertEquals(stack.provider.requests.length, 1);
  const executed = answers.filter(({ status, headers }) =>
    status === 200 && headers.get("idempotent-replayed") === null
  );
  assertEquals(executed.length, 1);
  for (const answer of answers) {
    if (answer.status === 200) assertEquals(answer.body, executed[0]?.body);
    else assertEquals([answer.status, answer.body.error], [409, "idempotency_key_in_progress"]);
  }
  const [count] = await stack.admin`select count(*)::int as messages from messaging.messages`;
  assertEquals(count?.["messages"], 1);
});

Deno.test("while the first call runs the key is in progress, also for assignments beside it", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const release = Promise.withResolvers<void>();
  stack.provider.answer = async (request) => {
    await release.promise;
    return acceptMessage(request);
  };
  const first = stack.send(tenant, text, key("k"));
  await waitUntil(() => stack.provider.requests.length === 1);
  const second = await stack.send(tenant, text, key("k"));
  assertEquals([second.status, second.body.error], [409, "idempotency_key_in_progress"]);
  release.resolve();
  const third = await first.then(() => stack.send(tenant, text, key("k")));
  assertEquals([third.status, third.body], [200, (await first).body]);
});

Deno.test("after a crash between recording and settling a repeat is in progress, then 504, and sends nothing", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await crashDuringSend(stack, tenant);
  const early = await stack.send(tenant, text, key("k"));
  assertEquals([early.status, early.body.error], [409, "idempotency_key_in_progress"]);
  await letTimePass(stack.admin, 60);
  for (const expire of [false, true]) {
    if (expire) await stack.dispatch();
    const late = await stack.send(tenant, text, key("k"));
    assertEquals([late.status, late.body.error], [504, "provider_outcome_unknown"]);
    assertEquals(late.headers.get("idempotent-replayed"), "true");
  }
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("after a crash a repeat says what is known by then", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await crashDuringSend(stack, tenant);
  await letTimePass(stack.admin, 60);
  await stack.dispatch();
  await stack.admin`
    update messaging.messages set status = 'delivered', sent_at = now(), provider_message_id = 'p-1'`;
  const answer = await stack.send(tenant, text, key("k"));
  assertEquals([answer.status, answer.body.status, answer.body.providerMessageId], [
    200,
    "delivered",
    "p-1",
  ]);
});

Deno.test("outcomes of an execution are kept, failures of the provider too", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  const failed = await stack.send(tenant, text, key("failed"));
  stack.provider.answer = answerUnknown;
  const unknown = await stack.send(tenant, text, key("unknown"));
  stack.provider.answer = acceptMessage;
  for (
    const [name, first, status] of [["failed", failed, 502], ["unknown", unknown, 504]] as const
  ) {
    const again = await stack.send(tenant, text, key(name));
    assertEquals([again.status, again.body], [status, first.body]);
    assertEquals(again.headers.get("idempotent-replayed"), "true");
  }
  assertEquals(stack.provider.requests.length, 2);
});

Deno.test("refusals before an execution are not kept: the same key may then be used", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  assertEquals((await stack.send(tenant, { ...text, delayMessage: -1 }, key("k"))).status, 400);
  assertEquals(
    (await stack.send(tenant, { ...text, assignTo: "nobody@example.com" }, key("k"))).status,
    404,
  );
  assertEquals((await stack.send({ ...tenant, token: "mia_x" }, text, key("k"))).status, 401);
  await stack.send(tenant, text);
  await stack.admin`update messaging.contacts set is_blocked = true`;
  assertEquals((await stack.send(tenant, text, key("k"))).status, 409);
  await stack.admin`update messaging.contacts set is_blocked = false`;
  const answer = await stack.send(tenant, text, key("k"));
  assertEquals([answer.status, answer.headers.get("idempotent-replayed")], [200, null]);
});

Deno.test("a key lives 24 hours", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const first = await stack.send(tenant, text, key("k"));
  await letTimePass(stack.admin, 24 * 3_600 - 60);
  assertEquals((await stack.send(tenant, text, key("k"))).body, first.body);
  await letTimePass(stack.admin, 61);
  const later = await stack.send(tenant, { ...text, message: "Oi" }, key("k"));
  assertEquals([later.status, later.headers.get("idempotent-replayed")], [200, null]);
  assertEquals((await stack.send(tenant, { ...text, message: "Oi" }, key("k"))).body, later.body);
});

Deno.test("queued, scheduled and assign-only calls are replayed whole, and give one slot and one e-mail", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await createOperator(stack.admin, tenant.workspaceId, { name: "Bia", email: "bia@example.com" });
  const bodies = {
    queued: { ...text, queued: true, assignTo: "bia@example.com" },
    scheduled: { ...text, delayMessage: 600 },
    assign: { phone: text.phone, assignTo: "bia@example.com" },
  };
  for (const [name, body] of Object.entries(bodies)) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => stack.send(tenant, body, key(name))),
    );
    assertEquals(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1, name);
    assertEquals(
      answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true").length,
      9,
    );
  }
  await stack.finishBackground();
  await letTimePass(stack.admin, 3_600);
  await stack.dispatch();
  const again = await stack.send(tenant, bodies.queued, key("queued"));
  assertEquals(again.body.status, "queued", "the first answer, though it is sent by now");
  assertEquals(stack.provider.requests.length, 2);
  assertEquals(stack.mail.requests.length, 1);
});

Deno.test("POST messages/:id/retry takes a key too", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  const failed = await stack.send(tenant, text);
  const path = `/messages/${failed.body.messageId}/retry`;
  const first = await stack.messages(tenant, "POST", path, key("r"));
  const again = await stack.messages(tenant, "POST", path, key("r"));
  assertEquals([again.status, again.body], [200, first.body]);
  assertEquals(again.headers.get("idempotent-replayed"), "true");
});

/** The state left by a process that dies after recording the call and before the provider answers. */
async function crashDuringSend(stack: MessagingStack, tenant: Tenant): Promise<void> {
  const crashing: Database = {
    ...stack.services.database,
    rpc: (name, request) =>
      name === "settle_messages"
        ? new Promise(() => {})
        : stack.services.database.rpc(name, request),
  };
  const app = createSendMessageApp({ ...stack.services, database: crashing });
  void callApp(app, "/send-message", {
    method: "POST",
    headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json", ...key("k") },
    body: JSON.stringify({ instanceId: tenant.instanceId, ...text }),
  });
  await waitUntil(() => stack.provider.requests.length === 1);
  stack.provider.requests.length = 0;
}
