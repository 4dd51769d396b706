import { assert, assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import {
  type Answer,
  type MessagingStack,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { administer } from "../../support/stack/admin_calls.ts";
import { findMiddayZone } from "../../support/midday_zone.ts";
import { sendPaced } from "../../support/fixtures/queue_slots.ts";

const text = { phone: "5511987654321", messageType: "text", message: "Olá" };

Deno.test("PATCH messages/:id moves a delayed message to another instant, earlier or later", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { body } = await stack.send(tenant, { ...text, delayMessage: 3_600 });
  for (const seconds of [7_200, 600]) {
    const sendAt = fromNow(seconds);
    const moved = await move(stack, tenant, body.messageId, { sendAt });
    assertEquals([moved.status, moved.body.status, moved.body.heldBy], [200, "queued", "delay"]);
    assertEquals(slotOf(moved), Date.parse(sendAt));
    assertEquals(moved.body.messageId, body.messageId);
  }
  await letTimePass(stack.admin, 601);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 1);
});

Deno.test("a moved paced message gets the slot that a call at that time gets, and gives its last one back", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const paced = { ...text, queued: true, intervalSeconds: 600 };
  const first = await sendPaced(stack, tenant, { ...paced, delayMessage: 60 });
  const second = await stack.send(tenant, paced);
  const third = await stack.send(tenant, paced);

  // Beyond the slots given out: at that time, and in the way of nobody.
  const sendAt = fromNow(86_400);
  const later = await move(stack, tenant, third.body.messageId, { sendAt });
  assertEquals(slotOf(later), Date.parse(sendAt));
  const next = await stack.send(tenant, paced);
  assertEquals(slotOf(next), slotOf(third), "the last slot was free again");
  assertEquals(slotOf(await stack.send(tenant, { ...paced, sendAt })) - slotOf(later), 600_000);

  // Among the slots given out: behind them.
  const behind = await move(stack, tenant, first.body.messageId, { sendAt: fromNow(300) });
  assertEquals(slotOf(behind) - slotOf(next), 600_000);
  assertEquals(behind.body.heldBy, "interval");
  const stays = await stack.messages(tenant, "GET", `/messages/${second.body.messageId}`);
  assertEquals(slotOf(stays), slotOf(second), "no other message moves");
});

Deno.test("a message that waits for its instant can be moved to now, and leaves in its turn", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const call = { ...text, queued: true, sendAt: fromNow(86_400), expiresAt: fromNow(90_000) };
  const { body } = await stack.send(tenant, call);
  const moved = await move(stack, tenant, body.messageId, { sendAt: fromNow(-5) });
  assert(slotOf(moved) <= Date.now() + 1_000);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 1);
});

Deno.test("a message that is moved after its attempts has as many left as before", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = () => new Response("busy", { status: 503 });
  for (const delivery of [{ delayMessage: 60 }, { delayMessage: 60, queued: true }]) {
    const { body } = await stack.send(tenant, { ...text, ...delivery });
    // As after five of the six.
    await stack.admin`
      update messaging.message_queue set attempts = 5 where message_id = ${body.messageId}`;
    await move(stack, tenant, body.messageId, { sendAt: fromNow(600) });
    // Behind the interval too that a busy machine may have begun late.
    await letTimePass(stack.admin, 700);
    await stack.dispatch();
    const path = `/messages/${body.messageId}`;
    assertEquals((await stack.messages(tenant, "GET", path)).body.status, "failed");
  }
});

Deno.test("only what still waits can be moved, to an instant ahead, by its own instance", async () => {
  await using stack = await startMessagingStack();
  const [tenant, neighbour] = [await stack.createTenant(), await stack.createTenant()];
  const sendAt = fromNow(60);
  const sent = await stack.send(tenant, text);
  const canceled = await stack.send(tenant, { ...text, delayMessage: 60 });
  await stack.messages(tenant, "DELETE", `/messages/${canceled.body.messageId}`);
  const claimed = await stack.send(tenant, { ...text, delayMessage: 1 });
  await letTimePass(stack.admin, 2);
  await stack.database.rpc("claim_due_messages", { maxMessages: 10, leaseSeconds: 60 });
  for (const { body } of [sent, canceled, claimed]) {
    const answer = await move(stack, tenant, body.messageId, { sendAt });
    assertEquals([answer.status, answer.body.error], [409, "message_not_movable"]);
  }
  const waiting = await stack.send(tenant, { ...text, delayMessage: 600 });
  for (
    const body of [{}, { sendAt: fromNow(-90) }, { sendAt: fromNow(36 * 86_400) }, { sendAt: "x" }]
  ) {
    const answer = await move(stack, tenant, waiting.body.messageId, body);
    assertEquals([answer.status, answer.body.error, answer.body.issues[0].path], [
      ...[400, "invalid_request", "sendAt"],
    ]);
  }
  const foreign = await move(stack, neighbour, waiting.body.messageId, { sendAt });
  assertEquals([foreign.status, foreign.body.error], [404, "message_not_found"]);
  const stays = await stack.messages(tenant, "GET", `/messages/${waiting.body.messageId}`);
  assertEquals(slotOf(stays), slotOf(waiting));
});

/** Three queued messages for the next opening of a window that is closed all day, a minute apart. */
async function queueForOtherDays(stack: MessagingStack): Promise<[Tenant, Answer[]]> {
  const tomorrow = (new Date().getUTCDay() + 1) % 7 || 7;
  const tenant = await stack.createTenant({
    timeZone: "UTC",
    window: { start: "08:00", end: "20:00", days: [tomorrow % 7 + 1] },
  });
  const waiting = [];
  for (let place = 0; place < 3; place++) {
    waiting.push(await stack.send(tenant, { ...text, queued: true, intervalSeconds: 60 }));
  }
  assertEquals(waiting.map(({ body }) => body.heldBy), ["window", "interval", "interval"]);
  return [tenant, waiting];
}

const openAlways = { sendWindow: { start: "00:00", end: "24:00", days: [1, 2, 3, 4, 5, 6, 7] } };

Deno.test("after its window was opened what waits is brought forward by PATCH, in order, an interval apart", async () => {
  await using stack = await startMessagingStack();
  const [tenant, waiting] = await queueForOtherDays(stack);
  const path = `/instances/${tenant.instanceId}`;
  assertEquals((await administer(stack, "PATCH", path, { body: openAlways })).status, 200);
  const read = async ({ body }: Answer): Promise<Answer> =>
    await stack.messages(tenant, "GET", `/messages/${body.messageId}`);
  const first = await read(waiting[0]!);
  assertEquals([slotOf(first), first.body.heldBy], [slotOf(waiting[0]!), "interval"], "its turn");

  const moved = [];
  for (const { body } of waiting) {
    moved.push(await move(stack, tenant, body.messageId, { sendAt: fromNow(0) }));
  }
  const [one = 0, two = 0, three = 0] = moved.map(slotOf);
  assert(one <= Date.now(), "nothing is before it");
  assertEquals([two - one, three - two], [60_000, 60_000]);
  const next = await stack.send(tenant, { ...text, queued: true, intervalSeconds: 60 });
  assertEquals(slotOf(next) - three, 60_000, "the last slot is free again");
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 1, "never two at once");
  const sent = await read(waiting[0]!);
  assertEquals(sent.body.status, "sent");
});

Deno.test("a PATCH for an earlier time never makes a message later", async () => {
  await using stack = await startMessagingStack();
  const [tenant, waiting] = await queueForOtherDays(stack);
  const slots = waiting.map(slotOf);
  for (const sendAt of [fromNow(0), fromNow(60), fromNow(0)]) {
    for (const [place, { body }] of waiting.entries()) {
      const { status, body: moved } = await move(stack, tenant, body.messageId, { sendAt });
      assertEquals([status, Date.parse(moved.scheduledFor)], [200, slots[place]]);
    }
  }
  // Under limits: the day is full, and the first message of it would go behind the others.
  const path = `/instances/${tenant.instanceId}`;
  const body = { ...openAlways, protection: { dailyLimit: 100 } };
  assertEquals((await administer(stack, "PATCH", path, { body })).status, 200);
  const moved = await move(stack, tenant, waiting[0]!.body.messageId, { sendAt: fromNow(0) });
  assert(slotOf(moved) <= Date.now(), "today has a place");
  const full = await administer(stack, "PATCH", path, { body: { protection: { dailyLimit: 1 } } });
  assertEquals(full.status, 200);
  for (const { body: { messageId } } of waiting.slice(1)) {
    const before = await stack.messages(tenant, "GET", `/messages/${messageId}`);
    const after = await move(stack, tenant, messageId, { sendAt: fromNow(0) });
    assert(slotOf(after) <= slotOf(before), `${slotOf(after)} after ${slotOf(before)}`);
  }
});

Deno.test("what a limit moved waits for its turn when the protection has ended, and can be brought forward", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ timeZone: findMiddayZone() });
  const path = `/instances/${tenant.instanceId}`;
  await administer(stack, "PATCH", path, { body: { protection: { dailyLimit: 1 } } });
  const paced = { ...text, queued: true, intervalSeconds: 60 };
  await stack.send(tenant, { ...paced, phone: "5511900000001", delayMessage: 1 });
  const held = await stack.send(tenant, paced);
  assertEquals(held.body.heldBy, "daily_limit");
  assertEquals(
    (await administer(stack, "PATCH", path, { body: { protection: null } })).status,
    200,
  );
  const read = await stack.messages(tenant, "GET", `/messages/${held.body.messageId}`);
  assertEquals([slotOf(read), read.body.heldBy], [slotOf(held), "interval"]);
  const moved = await move(stack, tenant, held.body.messageId, { sendAt: fromNow(0) });
  assert(slotOf(moved) < Date.now() + 70_000, moved.body.scheduledFor);
});

Deno.test("where the window never opens a paced message cannot be moved, and keeps its slot", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { body } = await stack.send(tenant, { ...text, queued: true, delayMessage: 3_600 });
  await stack.admin`
    update messaging.instances set window_start = '00:00', window_end = '00:00:00.001'`;
  await stack.admin`update messaging.messages set delay_typing_ms = 5000`;
  const answer = await move(stack, tenant, body.messageId, { sendAt: fromNow(7_200) });
  assertEquals([answer.status, answer.body.error], [409, "send_window_never_opens"]);
  assertEquals((await stack.admin`select from messaging.message_queue`).length, 1);
});

Deno.test("PATCH moves the end too, and refuses a time after which nothing would leave", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const timing = { sendAt: fromNow(3_600), expiresAt: fromNow(7_200), cancelKey: "appointment-7" };
  const { body: { messageId } } = await stack.send(tenant, {
    ...{ ...text, ...timing, purpose: "utility" },
  });
  const { body: record } = await stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals([record.expiresAt, record.cancelKey, record.purpose], [
    ...[timing.expiresAt, "appointment-7", "utility"],
  ]);
  const refused = [
    { sendAt: fromNow(10_000) },
    { expiresAt: fromNow(600) },
    { expiresAt: fromNow(-5) },
    { sendAt: fromNow(10_000), expiresAt: fromNow(9_000) },
  ];
  for (const change of refused) {
    const { status, body } = await move(stack, tenant, messageId, change);
    assertEquals([status, body.issues?.[0].path], [400, "expiresAt"], JSON.stringify(change));
  }
  const { body: same } = await stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals(same, record);

  const both = { sendAt: fromNow(10_000), expiresAt: fromNow(12_000) };
  const moved = await move(stack, tenant, messageId, both);
  assertEquals([moved.status, slotOf(moved), moved.body.expiresAt], [
    ...[200, Date.parse(both.sendAt), both.expiresAt],
  ]);
  const end = await move(stack, tenant, messageId, { expiresAt: fromNow(11_000) });
  assertEquals([end.status, slotOf(end)], [200, Date.parse(both.sendAt)]);
  await letTimePass(stack.admin, 10_001);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 1);
});

Deno.test("a canceled message is held by nothing", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { body } = await stack.send(tenant, { ...text, delayMessage: 3_600 });
  assertEquals(body.heldBy, "delay");
  const canceled = await stack.messages(tenant, "DELETE", `/messages/${body.messageId}`);
  assertEquals([canceled.body.status, canceled.body.heldBy], ["canceled", null]);
});

function move(
  stack: MessagingStack,
  tenant: Tenant,
  messageId: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  return stack.request(`/messages-api/messages/${messageId}`, {
    method: "PATCH",
    headers: { "content-type": "application/json", "x-client-token": tenant.token },
    body: JSON.stringify(body),
  });
}

function fromNow(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString();
}

function slotOf({ body }: Answer): number {
  return Date.parse(body.scheduledFor);
}
