import { createAdminApp } from "../../../functions/admin-api/app.ts";
import { serviceHealthResponseSchema } from "../../../functions/admin-api/service_health.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { callFunction, enqueueText } from "../../support/database/queue_calls.ts";
import { countRowsRead } from "../../support/database/rows_read.ts";
import { createForeignRows } from "../../support/fixtures/foreign_rows.ts";
import { testVault } from "../../support/fixtures/tenant.ts";
import {
  type MessagingStack,
  secretKey,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import { callApp } from "../../support/stack/app_calls.ts";

const phone = "5511987654321";

async function readHealth(
  stack: MessagingStack,
  headers: HeadersInit = { apikey: secretKey },
  // deno-lint-ignore no-explicit-any -- the tests assert on whatever the API answers
): Promise<{ status: number; body: any }> {
  await stack.admin`update messaging.metric_snapshots set fresh_until = '-infinity'`;
  const app = createAdminApp({
    ...stack.services,
    vault: testVault,
    secretKeys: { default: secretKey },
  });
  const response = await callApp(app, "/admin-api/health", { headers });
  return { status: response.status, body: await response.json() };
}

Deno.test("admin-api/health tells how many instances are held, late and have unconfirmed messages", async () => {
  await using stack = await startMessagingStack();
  const quiet = await readHealth(stack);
  assertEquals(quiet.status, 200);
  assertEquals(quiet.body.instances, {
    ...{ total: 0, held: 0, disconnected: 0, late: 0, unconfirmed: 0 },
  });
  const [held, late, unsure] = [
    await stack.createTenant(),
    await stack.createTenant(),
    await stack.createTenant(),
  ];
  await stack.createTenant();
  for (const { instanceId } of [held, late]) {
    await enqueueText(stack.admin, instanceId, { intervalSeconds: 60 });
    await enqueueText(stack.admin, instanceId, { intervalSeconds: 60 });
  }
  await stack.admin`update messaging.dispatch
    set hold_until = now() + interval '5 minutes', next_due_at = now() + interval '5 minutes'
    where instance_id = ${held.instanceId}`;
  await stack.admin`update messaging.dispatch set next_due_at = now() - interval '2 minutes'
    where instance_id = ${late.instanceId}`;
  const { messageId, claimToken } = await callFunction<Record<string, string>>(
    stack.admin,
    "accept_message",
    {
      ...{ instanceId: unsure.instanceId, phone, idempotency: null, assignment: null },
      message: { messageType: "text", message: "x" },
      delivery: { queued: false, delaySeconds: 0, leaseSeconds: 30 },
    },
  );
  await callFunction(stack.admin, "settle_messages", {
    results: [{ messageId, claimToken, outcome: "unknown", error: { code: "x", message: "x" } }],
  });
  await stack.admin`insert into messaging.outbox (workspace_id, kind, payload, run_at)
    values (${late.workspaceId}, 'agent_reply', '{}', now() - interval '30 s')`;
  const { status, body } = await readHealth(stack);
  assertEquals(status, 200);
  serviceHealthResponseSchema.parse(body);
  assertEquals([body.success, body.status], [true, "late"]);
  assertEquals(body.instances, { total: 4, held: 1, disconnected: 0, late: 1, unconfirmed: 1 });
  assertEquals([body.messages.queueDepth, body.messages.unconfirmed], [4, 1]);
  assert(body.messages.oldestDueSeconds >= 120 && body.messages.oldestDueSeconds < 600);
  assert(body.outbox.oldestDueSeconds >= 30 && body.outbox.oldestDueSeconds < 600);
  assertEquals(body.outbox.pending, 1);
  assert(body.database.sizeBytes > 1_000_000);
  assertEquals(
    body.attention.map((row: Record<string, unknown>) => [row["instanceId"], row["status"]]),
    [[late.instanceId, "late"], [held.instanceId, "held"], [unsure.instanceId, "ok"]],
  );
});

Deno.test("each instance's status in admin-api/health is that of messages-api/health", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await enqueueText(stack.admin, tenant.instanceId, { intervalSeconds: 60 });
  await enqueueText(stack.admin, tenant.instanceId, { intervalSeconds: 60, delaySeconds: 600 });
  const states = [
    `next_due_at = now() - interval '2 minutes'`,
    `next_due_at = now() - interval '30 s'`,
    `next_due_at = now() + interval '2 minutes', hold_until = now() + interval '2 minutes'`,
    `next_due_at = now() - interval '2 minutes', hold_until = '-infinity'`,
  ];
  const closeWindow = `update messaging.instances set window_days =
    array[((extract(isodow from now() at time zone time_zone)::int + 1) % 7 + 1)::smallint]`;
  for (
    const statement of [...states.map((set) => `update messaging.dispatch set ${set}`), closeWindow]
  ) {
    await stack.admin.unsafe(statement);
    const own =
      (await stack.messages(tenant, "GET", `/health?instanceId=${tenant.instanceId}`)).body;
    const { body } = await readHealth(stack);
    const counted = { late: body.instances.late, held: body.instances.held };
    assertEquals(
      counted,
      { late: Number(own.status === "late"), held: Number(own.status === "held") },
      statement,
    );
    assertEquals(body.messages.queueDepth, own.queueDepth);
    assertEquals(body.messages.oldestDueSeconds === null, own.oldestDueSeconds === null, statement);
  }
});

Deno.test("admin-api/health opens with the secret key alone", async () => {
  await using stack = await startMessagingStack();
  const { token } = await stack.createTenant();
  for (const headers of [{}, { apikey: "wrong" }, { "X-Client-Token": token }]) {
    const { status, body } = await readHealth(stack, headers as Record<string, string>);
    assertEquals([status, body.error], [401, "invalid_secret_key"]);
  }
});

Deno.test("a second look within a fresh snapshot costs the same beside 1,000 instances as beside one", async () => {
  await using stack = await startMessagingStack();
  await createForeignRows(stack.admin, 1_000);
  await readHealth(stack);
  await stack.admin`update messaging.metric_snapshots set fresh_until = now() + interval '1 hour'`;
  const session = stack.testDatabase.connect({ role: "superuser", max: 1 });
  const rows = await countRowsRead(session, (sql) => callFunction(sql, "get_service_health", {}));
  assert(rows <= 5, `${rows} rows read`);
});
