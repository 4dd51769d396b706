import { assertEquals } from "../../support/assert.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  phone,
} from "../provider_webhook/webhook_client.ts";

const userId = "BR.1A2B3C4D5E6F";
const text = { messageType: "text", message: "Oi" };

/** A text from a person who hides the number. */
function hiddenText(id: string): Record<string, unknown> {
  return cloudPayload({
    contacts: [{ profile: { name: "Ana" }, user_id: userId }],
    messages: [{ ...cloudText(id, "oi"), from: undefined, from_user_id: userId }],
  });
}

Deno.test("a person who hides the number is written to by contact id and by user id", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.cloud(tenant, hiddenText("IN1"));
  const [contact] = await client.stack.admin<{ id: string }[]>`select id from messaging.contacts`;
  const contactId = contact!.id;
  for (const target of [{ contactId }, { userId }]) {
    const sent = await client.stack.send(tenant, { ...target, ...text });
    assertEquals([sent.status, sent.body.status, sent.body.contactId], [200, "sent", contactId]);
  }
  const queued = await client.stack.send(tenant, { contactId, ...text, delayMessage: 1 });
  assertEquals(queued.body.mode, "scheduled");
  await client.stack.admin`update messaging.message_queue set visible_at = now()`;
  await client.stack.dispatch();
  const requests = client.stack.provider.requests.map((
    { json },
  ) => [json["recipient"], json["to"]]);
  assertEquals(requests, Array(3).fill([userId, undefined]));
});

Deno.test("a user id that nobody knows makes one contact, however many calls name it at once", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const sent = await Promise.all(
    Array.from({ length: 8 }, () => client.stack.send(tenant, { userId, ...text })),
  );
  assertEquals(sent.map(({ status }) => status), Array(8).fill(200));
  assertEquals(new Set(sent.map(({ body }) => body.contactId)).size, 1);
  await client.cloud(tenant, hiddenText("IN1"));
  const contacts = await client.stack.admin`select phone, origin from messaging.contacts`;
  assertEquals(contacts.map((row) => ({ ...row })), [{ phone: null, origin: "api" }]);
});

Deno.test("a queued message to a user id goes to it when its turn comes", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const queued = await client.stack.send(tenant, { userId, ...text, delayMessage: 1 });
  assertEquals([queued.status, queued.body.mode], [200, "scheduled"]);
  await client.stack.admin`update messaging.message_queue set visible_at = now()`;
  await client.stack.dispatch();
  assertEquals(client.stack.provider.requests.map(({ json }) => json["recipient"]), [userId]);
});

Deno.test("a gateway, which knows no user ids, needs the phone", async () => {
  await using client = await createWebhookClient();
  for (const provider of ["zapi", "evolution"] as const) {
    const tenant = await client.createTenant({ provider });
    const refused = await client.stack.send(tenant, { userId, ...text });
    assertEquals([refused.status, refused.body.error], [409, "recipient_needs_phone"]);
    const sent = await client.stack.send(tenant, { phone, ...text });
    const { contactId } = sent.body;
    assertEquals((await client.stack.send(tenant, { contactId, ...text })).status, 200);
  }
  const to = client.stack.provider.requests.map(({ json }) => json["phone"] ?? json["number"]);
  assertEquals(to, [phone, phone, phone, phone]);
  assertEquals((await client.stack.admin`select from messaging.contacts`).length, 2);
});

Deno.test("what the channel needs a phone for is recipient_needs_phone, at once and later", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const refusal = { error: { code: 131062, message: "(#131062) not supported" } };
  client.stack.provider.answer = () => Response.json(refusal, { status: 400 });
  const refused = await client.stack.send(tenant, { userId, ...text });
  assertEquals([refused.status, refused.body.error, refused.body.details.code], [
    ...[502, "provider_send_failed"],
    "recipient_needs_phone",
  ]);
  client.stack.provider.answer = () =>
    Response.json({ contacts: [], messages: [{ id: "wamid.1" }] });
  const sent = await client.stack.send(tenant, { userId, ...text });
  await client.cloud(
    tenant,
    cloudPayload({
      statuses: [{
        ...{ id: "wamid.1", status: "failed", timestamp: "1749416383" },
        errors: [{ code: 131062, title: "x" }],
      }],
    }),
  );
  const [message] = await client.stack.admin`
    select last_error->>'code' as code from messaging.messages where id = ${sent.body.messageId}`;
  assertEquals(message?.["code"], "recipient_needs_phone");
});
