import { queueResponseSchema } from "../../../functions/messages-api/contract.ts";
import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { sendPaced } from "../../support/fixtures/queue_slots.ts";

const phone = "5511987654321";
const text = { phone, messageType: "text", message: "Olá" };

/** What a message has when nobody says it. */
const noHold = { holdReason: null, holdCode: null, heldUntil: null };
const nothingMore = {
  ...{ choice: null, quotedMessageId: null, quotedProviderMessageId: null, isGroup: false },
  ...{
    chatName: null,
    author: null,
    sentBy: null,
    isTypedOnPhone: false,
    handledBy: "us",
    channelStatus: null,
  },
  ...{ pricing: null, estimatedCost: null },
  ...{ mediaFilename: null, mediaMimeType: null, mediaSize: null, editedAt: null, deletedAt: null },
};

function toContact(contactId: string): Record<string, unknown> {
  return { contactId, phone, name: null, userId: null, username: null, lid: null };
}

Deno.test("GET messages/:id tells the whole record flat, with all its instants", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const sent = await sendPaced(stack, tenant, { ...text, cardId: "card-7" });
  const { status, body } = await stack.messages(tenant, "GET", `/messages/${sent.body.messageId}`);
  assertEquals(status, 200);
  for (const field of ["sentAt", "createdAt"]) assertMatch(body[field], /T.*Z$/);
  assertEquals({ ...body, sentAt: 0, createdAt: 0 }, {
    success: true,
    messageId: sent.body.messageId,
    direction: "outbound",
    status: "sent",
    messageType: "text",
    message: "Olá",
    ...nothingMore,
    contact: toContact(sent.body.contactId),
    cardId: "card-7",
    batchId: null,
    purpose: "service",
    cancelKey: null,
    cancelOn: null,
    paymentReference: null,
    cancelReason: null,
    metadata: {},
    mediaId: null,
    mediaStatus: null,
    mediaUrl: null,
    contactId: sent.body.contactId,
    conversationId: sent.body.conversationId,
    providerMessageId: sent.body.providerMessageId,
    scheduledFor: null,
    heldBy: null,
    ...noHold,
    expiresAt: null,
    createdAt: 0,
    sentAt: 0,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    attempts: 1,
    lastError: null,
  });
});

Deno.test("a received message answers with the same members; nobody cancels or retries it", async () => {
  await using stack = await startMessagingStack();
  const [tenant, neighbour] = [await stack.createTenant(), await stack.createTenant()];
  const { body: sent } = await sendPaced(stack, tenant, text);
  const [received] = await stack.admin<{ id: string }[]>`
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, content, status,
      provider_message_id, sent_at
    )
    select instance_id, contact_id, conversation_id, 'inbound', 'option_list', 'Azul',
      '{"choice": {"id": "1", "title": "Azul"}}', 'received', 'IN-1', '2026-11-20T12:00:00.5Z'
    from messaging.messages where id = ${sent.messageId}
    returning id`;
  const path = `/messages/${received?.id}`;
  const { status, body } = await stack.messages(tenant, "GET", path);
  assertEquals(status, 200);
  assertMatch(body.createdAt, /T.*Z$/);
  assertEquals({ ...body, createdAt: 0 }, {
    success: true,
    messageId: received?.id,
    direction: "inbound",
    status: "received",
    messageType: "option_list",
    message: "Azul",
    ...nothingMore,
    choice: { id: "1", title: "Azul" },
    contact: toContact(sent.contactId),
    cardId: null,
    batchId: null,
    purpose: "service",
    cancelKey: null,
    cancelOn: null,
    paymentReference: null,
    cancelReason: null,
    metadata: {},
    mediaId: null,
    mediaStatus: null,
    mediaUrl: null,
    contactId: sent.contactId,
    conversationId: sent.conversationId,
    providerMessageId: "IN-1",
    scheduledFor: null,
    heldBy: null,
    ...noHold,
    expiresAt: null,
    createdAt: 0,
    sentAt: "2026-11-20T12:00:00.500Z",
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    attempts: 0,
    lastError: null,
  });
  const answer = await stack.messages(neighbour, "GET", path);
  assertEquals([answer.status, answer.body.error], [404, "message_not_found"]);
});

Deno.test("an unknown, a malformed and another instance's message are not found, for every operation", async () => {
  await using stack = await startMessagingStack();
  const [tenant, neighbour] = [await stack.createTenant(), await stack.createTenant()];
  const theirs = await sendPaced(stack, neighbour, { ...text, queued: true, delayMessage: 60 });
  for (const id of [theirs.body.messageId, crypto.randomUUID(), "x", "1"]) {
    for (const [method, rest] of [["GET", ""], ["DELETE", ""], ["POST", "/retry"]] as const) {
      const answer = await stack.messages(tenant, method, `/messages/${id}${rest}`);
      assertEquals([answer.status, answer.body.error], [404, "message_not_found"]);
    }
  }
  const state = await stack.messages(neighbour, "GET", `/messages/${theirs.body.messageId}`);
  assertEquals(state.body.status, "queued");
});

Deno.test("an instanceId in the query must be the token's", async () => {
  await using stack = await startMessagingStack();
  const [tenant, neighbour] = [await stack.createTenant(), await stack.createTenant()];
  const { body } = await sendPaced(stack, tenant, text);
  const ask = (instanceId: string) =>
    stack.messages(tenant, "GET", `/messages/${body.messageId}?instanceId=${instanceId}`);
  assertEquals((await ask(tenant.embedKey)).status, 200);
  assertEquals((await ask(neighbour.instanceId)).body.error, "Instance not found");
});

Deno.test("GET queue lists a message to a person who hides the number, as the document says", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const { phone: _phone, ...content } = text;
  await sendPaced(stack, tenant, {
    ...content,
    userId: "BR.1234567890",
    queued: true,
    delayMessage: 600,
  });
  const { body } = await stack.messages(tenant, "GET", `/queue?instanceId=${tenant.embedKey}`);
  assertEquals(queueResponseSchema.safeParse(body).error?.issues ?? [], []);
  assertEquals(body.items.map(({ phone }: { phone: unknown }) => phone), [null]);
});

Deno.test("GET queue lists what waits in the order it leaves, page by page, with places and total", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const neighbour = await stack.createTenant();
  await stack.send(neighbour, { ...text, queued: true, delayMessage: 600 });
  const ids: string[] = [];
  for (let index = 0; index < 7; index++) {
    const recipient = `55119876543${10 + index}`;
    const answer = await stack.send(tenant, {
      ...text,
      phone: recipient,
      queued: true,
      delayMessage: 600,
    });
    ids.push(answer.body.messageId);
  }
  const path = `/queue?instanceId=${tenant.embedKey}&limit=3`;
  const pages = [];
  let cursor = "";
  for (let page = 0; page < 3; page++) {
    const answer = await stack.messages(tenant, "GET", `${path}${cursor}`);
    assertEquals([answer.status, answer.body.success, answer.body.total], [200, true, 7]);
    pages.push(answer.body.items);
    cursor = `&cursor=${encodeURIComponent(answer.body.nextCursor)}`;
    if (page === 2) assertEquals(answer.body.nextCursor, null);
  }
  assertEquals(pages.map((items) => items.length), [3, 3, 1]);
  const items = pages.flat();
  assertEquals(items.map((item) => item.messageId), ids);
  assertEquals(items.map((item) => item.position), [1, 2, 3, 4, 5, 6, 7]);
  assertEquals(items[6].phone, "5511987654316");
  assertEquals([items[0].heldBy, items[1].heldBy], ["delay", "interval"]);
  assertMatch(items[0].scheduledFor, /-03:00$/);
  const whole = await stack.messages(tenant, "GET", `/queue?instanceId=${tenant.instanceId}`);
  assertEquals([whole.body.items.length, whole.body.nextCursor], [7, null]);
});

Deno.test("the queue names the phone that the call gave, however the contact's is spelled", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await sendPaced(stack, tenant, { ...text, phone: "551187654321" });
  await sendPaced(stack, tenant, { ...text, queued: true, delayMessage: 60 });
  const { body } = await stack.messages(tenant, "GET", `/queue?instanceId=${tenant.instanceId}`);
  assertEquals(body.items.map((item: { phone: string }) => item.phone), [phone]);
});

Deno.test("what waits says what it waits for now: its interval, or a window that was changed meanwhile", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const ids: string[] = [];
  for (let count = 0; count < 2; count++) {
    const answer = await sendPaced(stack, tenant, { ...text, queued: true, delayMessage: 60 });
    ids.push(answer.body.messageId);
  }
  await letTimePass(stack.admin, 600);
  const startedAtMs = Date.now();
  await stack.dispatch();
  const endedAtMs = Date.now();
  const read = async (): Promise<{ scheduledFor: string; heldBy: string }[]> => {
    const one = await stack.messages(tenant, "GET", `/messages/${ids[1]}`);
    const queue = await stack.messages(tenant, "GET", `/queue?instanceId=${tenant.instanceId}`);
    return [one.body, ...queue.body.items];
  };
  for (const { scheduledFor, heldBy } of await read()) {
    // The interval counts from the call, known but for what the claim took of the run.
    const tookMs = endedAtMs - startedAtMs + 10;
    const behindMs = Date.parse(scheduledFor) - startedAtMs - 30_000;
    assert(behindMs >= -tookMs && behindMs <= 2 * tookMs, `${behindMs} ms of ${tookMs} ms`);
    assertEquals(heldBy, "interval");
  }
  await stack.admin`
    update messaging.instances set window_start = '00:00', window_end = '24:00',
      window_days = array[extract(isodow from (now() at time zone time_zone)::date + 3)::int]`;
  const [opening] = await stack.admin`
    select ((now() at time zone time_zone)::date + 3)::timestamp at time zone time_zone as at
    from messaging.instances`;
  for (const { scheduledFor, heldBy } of await read()) {
    assertEquals(new Date(scheduledFor), opening?.["at"]);
    assertEquals(heldBy, "window");
  }
});

Deno.test("what is queued in a hold that ends outside the window says when that opens", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const [hold] = await stack.admin`
    update messaging.dispatch set hold_until = now() + interval '3 days' returning hold_until`;
  await stack.admin`
    update messaging.instances set window_days =
      array[extract(isodow from (now() at time zone time_zone)::date)::int,
        extract(isodow from (now() at time zone time_zone)::date + 5)::int]`;
  const answer = await sendPaced(stack, tenant, { ...text, queued: true });
  const state = await stack.messages(tenant, "GET", `/messages/${answer.body.messageId}`);
  for (const { scheduledFor, heldBy, heldUntil } of [answer.body, state.body]) {
    assert(Date.parse(scheduledFor) > hold?.["hold_until"].getTime() + 86_400_000, scheduledFor);
    assertEquals(heldBy, "instance_held");
    assertEquals(Date.parse(heldUntil), hold?.["hold_until"].getTime());
  }
});

Deno.test("a page goes on after its cursor though messages before it have left", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (let index = 0; index < 4; index++) {
    await sendPaced(stack, tenant, { ...text, queued: true, delayMessage: 60 });
  }
  const path = `/queue?instanceId=${tenant.instanceId}&limit=2`;
  const first = await stack.messages(tenant, "GET", path);
  await stack.messages(tenant, "DELETE", `/messages/${first.body.items[0].messageId}`);
  const second = await stack.messages(tenant, "GET", `${path}&cursor=${first.body.nextCursor}`);
  assertEquals(second.body.items.map((item: { position: number }) => item.position), [2, 3]);
  assertEquals(second.body.total, 3);
});

Deno.test("GET queue refuses what is no limit and no cursor", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const own = `instanceId=${tenant.instanceId}`;
  const forged = (value: unknown): string =>
    btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  for (
    const query of [
      `${own}&limit=0`,
      `${own}&limit=1001`,
      `${own}&limit=x`,
      `${own}&cursor=x`,
      `${own}&cursor=${"x".repeat(501)}`,
      `${own}&cursor=${forged({ scheduledAt: "yesterday", position: 1 })}`,
      `${own}&cursor=${forged({ scheduledAt: "0000-01-01T00:00:00Z", position: 1 })}`,
    ]
  ) {
    const answer = await stack.messages(tenant, "GET", `/queue?${query}`);
    assertEquals([answer.status, answer.body.error], [400, "invalid_request"], query);
  }
});

Deno.test("DELETE cancels what waits: the next moves up to its own slot, the canceled slot stays unused", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const ids: string[] = [];
  for (const message of ["1", "2"]) {
    const answer = await sendPaced(stack, tenant, {
      ...text,
      message,
      queued: true,
      delayMessage: 60,
    });
    ids.push(answer.body.messageId);
  }
  const canceled = await stack.messages(tenant, "DELETE", `/messages/${ids[0]}`);
  assertEquals([canceled.status, canceled.body.success, canceled.body.status], [
    200,
    true,
    "canceled",
  ]);
  const [dispatch] = await stack.admin`
    select d.next_due_at = q.scheduled_at as is_next_slot
    from messaging.dispatch d join messaging.message_queue q using (instance_id)`;
  assertEquals(dispatch?.["is_next_slot"], true);
  const third = await sendPaced(stack, tenant, { ...text, message: "3", queued: true });
  const second = await stack.messages(tenant, "GET", `/messages/${ids[1]}`);
  assertEquals(
    Date.parse(third.body.scheduledFor) - Date.parse(second.body.scheduledFor),
    30_000,
  );
  await letTimePass(stack.admin, 61);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 0, "2 keeps its own slot");
  for (let step = 0; step < 3; step++) {
    await letTimePass(stack.admin, 30);
    await stack.dispatch();
  }
  assertEquals(stack.provider.requests.map((request) => request.json["message"]), ["2", "3"]);
  const again = await stack.messages(tenant, "DELETE", `/messages/${ids[0]}`);
  assertEquals([again.status, again.body.status], [200, "canceled"]);
});

Deno.test("the last slots are given back with their messages, in whatever order they are canceled", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const queue = async (intervalSeconds: number): Promise<[id: string, slotMs: number]> => {
    const { body } = await sendPaced(stack, tenant, { ...text, queued: true, intervalSeconds });
    return [body.messageId, Date.parse(body.scheduledFor)];
  };
  const slots = [await queue(10), await queue(3_600), await queue(3_600), await queue(3_600)];
  const [, secondMs = 0] = slots.map(([, slotMs]) => slotMs);
  // The first has left, perhaps some time after its slot.
  await stack.finishBackground();
  assertEquals(stack.provider.requests.length, 1);
  for (const index of [2, 3]) {
    await stack.messages(tenant, "DELETE", `/messages/${slots[index]?.[0]}`);
  }
  const [third, thirdMs] = await queue(20);
  assertEquals(thirdMs - secondMs, 20_000, "after the one that still waits");
  for (const id of [slots[1]?.[0], third]) {
    await stack.messages(tenant, "DELETE", `/messages/${id}`);
  }
  const [, nextMs] = await queue(30);
  const [row] = await stack.admin<{ leftAt: Date }[]>`
    select paced_from as "leftAt" from messaging.dispatch`;
  const leftMs = row?.leftAt.getTime() ?? 0;
  assertEquals(Math.abs(nextMs - leftMs - 30_000) <= 2, true, "after what has left already");
});

Deno.test("a scheduled message can be canceled too", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { body } = await sendPaced(stack, tenant, { ...text, delayMessage: 60 });
  const answer = await stack.messages(tenant, "DELETE", `/messages/${body.messageId}`);
  assertEquals([answer.status, answer.body.status], [200, "canceled"]);
  await letTimePass(stack.admin, 61);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("what is in flight or settled can be neither canceled nor, unless failed or unconfirmed, retried", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const release = Promise.withResolvers<void>();
  stack.provider.answer = async (request) => {
    await release.promise;
    return acceptMessage(request);
  };
  const { body } = await sendPaced(stack, tenant, { ...text, queued: true, delayMessage: 60 });
  await assertConflict(stack, tenant, body.messageId, "POST", "message_not_retriable");
  await letTimePass(stack.admin, 61);
  const run = stack.dispatchOnce({ maxMessages: 1, durationMs: 3_000 });
  await waitUntil(() => stack.provider.requests.length === 1);
  const state = await stack.messages(tenant, "GET", `/messages/${body.messageId}`);
  assertEquals([state.body.status, state.body.attempts], ["sending", 1]);
  await assertConflict(stack, tenant, body.messageId, "DELETE", "message_not_cancelable");
  await assertConflict(stack, tenant, body.messageId, "POST", "message_not_retriable");
  release.resolve();
  await run;
  await assertConflict(stack, tenant, body.messageId, "DELETE", "message_not_cancelable");
  await assertConflict(stack, tenant, body.messageId, "POST", "message_not_retriable");
  const canceled = await sendPaced(stack, tenant, { ...text, queued: true, delayMessage: 60 });
  await stack.messages(tenant, "DELETE", `/messages/${canceled.body.messageId}`);
  await assertConflict(stack, tenant, canceled.body.messageId, "POST", "message_not_retriable");
});

Deno.test("POST retry sends a failed or unconfirmed message again, queued ones with a new slot", async () => {
  for (const delivery of [{}, { delayMessage: 60 }, { queued: true, delayMessage: 60 }]) {
    for (const failure of ["failed", "unconfirmed"]) {
      await using stack = await startMessagingStack();
      const tenant = await stack.createTenant();
      stack.provider.answer = () =>
        Response.json({ error: "no" }, { status: failure === "failed" ? 400 : 500 });
      const { body } = await sendPaced(stack, tenant, { ...text, ...delivery });
      await letTimePass(stack.admin, 61);
      await stack.dispatch();
      const path = `/messages/${body.messageId}`;
      assertEquals((await stack.messages(tenant, "GET", path)).body.status, failure);
      await letTimePass(stack.admin, 61);
      stack.provider.answer = acceptMessage;
      const retried = await stack.messages(tenant, "POST", `${path}/retry`);
      assertEquals([retried.status, retried.body.success, retried.body.status], [
        200,
        true,
        "queued",
      ]);
      assertEquals([retried.body.failedAt, retried.body.messageId], [null, body.messageId]);
      await stack.dispatch();
      const { body: state } = await stack.messages(tenant, "GET", path);
      assertEquals([state.status, state.attempts, state.lastError], ["sent", 2, null]);
    }
  }
});

Deno.test("a message that a delivery event has failed is not sent again while its call is open", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const { body } = await sendPaced(stack, tenant, { ...text, delayMessage: 60 });
  await letTimePass(stack.admin, 61);
  await stack.database.rpc("claim_due_messages", { maxMessages: 1, leaseSeconds: 30 });
  await stack.admin`
    select messaging.advance_message(${body.messageId}, 'wamid.A', 'failed', now(),
      '{"code": "131026", "message": "Message undeliverable"}')`;
  await assertConflict(stack, tenant, body.messageId, "POST", "message_not_retriable");
  await letTimePass(stack.admin, 31);
  await stack.dispatch();
  const path = `/messages/${body.messageId}/retry`;
  assertEquals((await stack.messages(tenant, "POST", path)).body.status, "queued");
});

Deno.test("only what waits is held, and nothing fails before it was created", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const read = async (messageId: string): Promise<readonly unknown[]> => {
    const { body } = await stack.messages(tenant, "GET", `/messages/${messageId}`);
    return [body.status, body.heldBy];
  };
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const waiting = async (): Promise<string> => {
    const { body } = await sendPaced(stack, tenant, { ...text, delayMessage: 60, expiresAt });
    assertEquals(await read(body.messageId), ["queued", "delay"]);
    return body.messageId;
  };
  const canceled = await waiting();
  assertEquals((await stack.messages(tenant, "DELETE", `/messages/${canceled}`)).body.heldBy, null);
  const sent = await waiting();
  await letTimePass(stack.admin, 61);
  await stack.dispatch();
  stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  const failed = await waiting();
  await letTimePass(stack.admin, 61);
  await stack.dispatch();
  const expired = await waiting();
  await letTimePass(stack.admin, 3_600);
  await stack.dispatch();
  const states = await Promise.all([canceled, sent, failed, expired].map(read));
  assertEquals(states, [["canceled", null], ["sent", null], ["failed", null], ["expired", null]]);

  // The channel tells whole seconds.
  await stack.admin`
    select messaging.advance_message(${sent}, null, 'failed', date_trunc('minute', created_at),
      '{"code": "x", "message": "y"}')
    from messaging.messages where id = ${sent}`;
  const { body: late } = await stack.messages(tenant, "GET", `/messages/${sent}`);
  assertEquals([late.status, late.failedAt], ["failed", late.createdAt]);
});

Deno.test("a retry to a blocked contact is refused", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  const { body } = await sendPaced(stack, tenant, text);
  await stack.admin`update messaging.contacts set is_blocked = true`;
  await assertConflict(stack, tenant, body.messageId, "POST", "contact_blocked");
});

Deno.test("20 simultaneous retries put the message in line once", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  const { body } = await sendPaced(stack, tenant, text);
  const answers = await Promise.all(
    Array.from(
      { length: 20 },
      () => stack.messages(tenant, "POST", `/messages/${body.messageId}/retry`),
    ),
  );
  assertEquals(answers.map(({ status }) => status).sort(), [200, ...new Array(19).fill(409)]);
  stack.provider.answer = acceptMessage;
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 2);
});

async function assertConflict(
  stack: MessagingStack,
  tenant: Tenant,
  messageId: string,
  method: "DELETE" | "POST",
  error: string,
): Promise<void> {
  const path = `/messages/${messageId}${method === "POST" ? "/retry" : ""}`;
  const answer = await stack.messages(tenant, method, path);
  assertEquals([answer.status, answer.body.error], [409, error]);
  assert(answer.body.message.length > 10);
}
