import { assertEquals } from "../../support/assert.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { sendPaced } from "../../support/fixtures/queue_slots.ts";

const text = { phone: "5511987654321", messageType: "text", message: "Olá" };

Deno.test("DELETE messages?cancelKey= cancels all that still wait under the key, and nothing else", async () => {
  await using stack = await startMessagingStack();
  const [tenant, neighbour] = [await stack.createTenant(), await stack.createTenant()];
  const cancelKey = "appointment 4711/ç";
  const later = new Date(Date.now() + 86_400_000).toISOString();
  await sendPaced(stack, tenant, { ...text, cancelKey });
  const waiting = [
    await sendPaced(stack, tenant, { ...text, cancelKey, sendAt: later }),
    await sendPaced(stack, tenant, { ...text, cancelKey, delayMessage: 60 }),
    await sendPaced(stack, tenant, { ...text, cancelKey, queued: true, sendAt: later }),
    await sendPaced(stack, tenant, { ...text, cancelKey, queued: true, delayMessage: 60 }),
  ];
  const others = [
    await sendPaced(stack, tenant, { ...text, cancelKey: "other", delayMessage: 60 }),
    await sendPaced(stack, tenant, { ...text, delayMessage: 60 }),
  ];
  const theirs = await sendPaced(stack, neighbour, { ...text, cancelKey, delayMessage: 60 });
  const cancel = () =>
    stack.messages(tenant, "DELETE", `/messages?cancelKey=${encodeURIComponent(cancelKey)}`);
  const first = await cancel();
  assertEquals([first.status, first.body], [200, { success: true, canceled: 4 }]);
  assertEquals((await cancel()).body, { success: true, canceled: 0 });
  for (const { body } of waiting) assertEquals(await statusOf(tenant, body.messageId), "canceled");
  for (const { body } of others) assertEquals(await statusOf(tenant, body.messageId), "queued");
  assertEquals(await statusOf(neighbour, theirs.body.messageId), "queued");
  const events = await stack.admin`
    select from messaging.events where type = 'message.canceled'`;
  assertEquals(events.length, 4);

  async function statusOf(of: typeof tenant, messageId: string): Promise<string> {
    return (await stack.messages(of, "GET", `/messages/${messageId}`)).body.status;
  }
});

Deno.test("an unknown cancelKey cancels 0; a missing or an overlong one is refused", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const unknown = await stack.messages(tenant, "DELETE", "/messages?cancelKey=nothing");
  assertEquals([unknown.status, unknown.body], [200, { success: true, canceled: 0 }]);
  for (const query of ["", "?cancelKey=", "?cancelKey=%00", `?cancelKey=${"k".repeat(101)}`]) {
    const { status, body } = await stack.messages(tenant, "DELETE", `/messages${query}`);
    assertEquals([status, body.error, body.issues?.[0]?.path], [
      ...[400, "invalid_request", "cancelKey"],
    ]);
  }
});

Deno.test("the slots of messages that are canceled together are given back", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const paced = { ...text, queued: true, intervalSeconds: 600 };
  const kept = await sendPaced(stack, tenant, { ...paced, delayMessage: 60 });
  for (let count = 0; count < 3; count++) {
    await sendPaced(stack, tenant, { ...paced, cancelKey: "k" });
  }
  await stack.messages(tenant, "DELETE", "/messages?cancelKey=k");
  const next = await sendPaced(stack, tenant, paced);
  const slots = [kept, next].map(({ body }) => Date.parse(body.scheduledFor));
  assertEquals((slots[1] ?? 0) - (slots[0] ?? 0), 600_000);
});
