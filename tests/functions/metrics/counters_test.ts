import { assert, assertEquals } from "../../support/assert.ts";
import { enqueueText } from "../../support/database/queue_calls.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import { createSmallTenant } from "../../support/fixtures/tenant_requests.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { scrape } from "./metrics_client.ts";

const zapi = { provider: "zapi" };
const phone = "5511987654321";

/** Lets time pass for what was settled and for what has looked at it. */
async function letPass({ admin }: MessagingStack, seconds: number): Promise<void> {
  await admin`
    update messaging.messages
    set sent_at = sent_at - make_interval(secs => ${seconds}),
      failed_at = failed_at - make_interval(secs => ${seconds}),
      unconfirmed_at = unconfirmed_at - make_interval(secs => ${seconds})`;
  await admin`
    update messaging.metric_snapshots
    set counted_until = counted_until - make_interval(secs => ${seconds})`;
}

Deno.test("what was sent, has failed and is unconfirmed is counted by the next scrape, each once", async () => {
  await using stack = await startMessagingStack();
  await createSmallTenant(stack.admin);
  const tenant = await stack.createTenant({ provider: "evolution" });
  await stack.send(tenant, { phone, messageType: "text", message: "x" });
  for (let time = 0; time < 4; time++) {
    const { value } = await scrape(stack);
    assertEquals([
      value("messaging_messages_sent_total", zapi),
      value("messaging_messages_failed_total", zapi),
      value("messaging_messages_unconfirmed_total", zapi),
      value("messaging_messages_sent_total", { provider: "evolution" }),
    ], [1, 1, 1, 1]);
    // In the second round they are counted for good, in the third they lie behind.
    await letPass(stack, 20);
  }
});

Deno.test("simultaneous scrapes count what was sent once", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await scrape(stack);
  await stack.send(tenant, { phone, messageType: "text", message: "x" });
  await letPass(stack, 31);
  await stack.admin`update messaging.metric_snapshots
    set fresh_until = '-infinity', taken_at = '-infinity'`;
  await Promise.all(Array.from({ length: 8 }, () => stack.database.rpc("read_metrics", {})));
  const { value } = await scrape(stack);
  assertEquals(value("messaging_messages_sent_total", zapi), 1);
});

Deno.test("no counter falls when messages change their state, are deleted, or rows are purged", async () => {
  await using stack = await startMessagingStack();
  const { instanceId } = await createSmallTenant(stack.admin);
  await stack.admin`
    insert into messaging.outbox (workspace_id, kind, payload, status, settled_at)
    select workspace_id, 'agent_reply', '{}', 'done', now() from messaging.instances
    limit 1`;
  await stack.dispatch();
  const read = async (): Promise<Record<string, number>> => {
    const { families } = await scrape(stack);
    const counters = [...families.values()].filter(({ type }) => type !== "gauge");
    return Object.fromEntries(
      counters.flatMap(({ samples }) => samples).map(
        ({ name, labels, value }) => [`${name}${JSON.stringify(labels)}`, value],
      ),
    );
  };
  const changes: readonly (() => PromiseLike<unknown>)[] = [
    () =>
      stack.admin`update messaging.messages set status = 'failed', failed_at = now()
      where status = 'sent'`,
    () => letPass(stack, 31),
    () => stack.admin`delete from messaging.outbox`,
    () => stack.admin`delete from messaging.provider_events`,
    () => stack.admin`delete from messaging.contacts where instance_id = ${instanceId}`,
    () => letPass(stack, 7_200),
  ];
  let before = await read();
  assertEquals(before['messaging_outbox_settled_total{"kind":"agent_reply","status":"done"}'], 1);
  for (const [place, change] of changes.entries()) {
    await change();
    const after = await read();
    for (const [name, value] of Object.entries(before)) {
      assert((after[name] ?? -1) >= value, `change ${place}: ${name} ${value} → ${after[name]}`);
    }
    before = after;
  }
});

Deno.test("the lateness of a queued message stands in its bucket; a retried and an immediate one's does not", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const late = await enqueueText(stack.admin, tenant.instanceId, { intervalSeconds: 0 });
  await stack.send(tenant, { phone, messageType: "text", message: "at once" });
  await stack.dispatch();
  await stack.admin`update messaging.messages set scheduled_for = sent_at - interval '40 s'
    where id = ${late.messageId}`;
  await stack.admin`
    with retried as (
      select m.* from messaging.messages m where m.id = ${late.messageId}
    )
    insert into messaging.messages (instance_id, contact_id, conversation_id, direction,
      message_type, message, mode, status, scheduled_for, sent_at, attempts)
    select instance_id, contact_id, conversation_id, direction, message_type, message, mode, status,
      scheduled_for, sent_at, 2 from retried`;
  const { value } = await scrape(stack);
  const bucket = (le: string): number | undefined =>
    value("messaging_dispatch_lateness_seconds_bucket", { ...zapi, le });
  assertEquals([bucket("0.05"), bucket("30"), bucket("60"), bucket("+Inf")], [0, 0, 1, 1]);
  assertEquals(value("messaging_dispatch_lateness_seconds_sum", zapi), 40);
  assertEquals(value("messaging_messages_sent_total", zapi), 3);
});

Deno.test("an expired claim is counted, and each dispatcher run is told by its time", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = acceptMessage;
  const enqueued = await enqueueText(stack.admin, tenant.instanceId, { intervalSeconds: 0 });
  await stack.database.rpc("claim_due_messages", { maxMessages: 1, leaseSeconds: 1 });
  await stack.admin`update messaging.dispatch set lease_until = now() - interval '1 s'`;
  await stack.admin`update messaging.message_queue set lease_until = now() - interval '1 s'
    where message_id = ${enqueued.messageId}`;
  const startedAt = Date.now() / 1_000;
  await stack.dispatch();
  const { value } = await scrape(stack);
  assertEquals(value("messaging_claim_expiries_total"), 1);
  assertEquals(value("messaging_maintenance_runs_total"), 1);
  assert((value("messaging_last_maintenance_timestamp_seconds") ?? 0) >= startedAt - 1);
});
