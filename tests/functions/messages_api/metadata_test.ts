/** `metadata` and `cardId`: from each sending call to the message's record. */

import { assertEquals } from "../../support/assert.ts";
import { createOperator } from "../../support/fixtures/tenant.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { createAgentClient } from "../agents/agent_client.ts";
import { startTemplateStack } from "../send_template_message/template_stack.ts";

const phone = "5511987654321";
const text = { phone, messageType: "text", message: "Olá" };
const metadata = { order: "4711", "não só ASCII": "ção", empty: "" };
const given = { cardId: "card-7", metadata };

Deno.test("metadata and cardId come back with the message, whichever way send-message takes", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await createOperator(stack.admin, tenant.workspaceId, { name: "Ana", email: "ana@example.com" });
  const ways = {
    "to a new contact": {},
    "to a known contact": {},
    "at the same moment as another": {},
    queued: { queued: true },
    delayed: { delayMessage: 60 },
    "with an assignment": { assignTo: "ana@example.com" },
  };
  for (const [way, fields] of Object.entries(ways)) {
    const calls = way.startsWith("at the same") ? 8 : 1;
    const answers = await Promise.all(
      Array.from({ length: calls }, () => stack.send(tenant, { ...text, ...given, ...fields })),
    );
    for (const { body: { messageId } } of answers) {
      const { body } = await stack.messages(tenant, "GET", `/messages/${messageId}`);
      assertEquals([body.cardId, body.metadata], [given.cardId, metadata], way);
    }
  }
  const [without] = await Promise.all([stack.send(tenant, text)]);
  const { body } = await stack.messages(tenant, "GET", `/messages/${without.body.messageId}`);
  assertEquals([body.cardId, body.metadata], [null, {}]);
});

Deno.test("the record keeps its metadata when the message is canceled or tried again", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { body: sent } = await stack.send(tenant, { ...text, ...given, delayMessage: 60 });
  const canceled = await stack.messages(tenant, "DELETE", `/messages/${sent.messageId}`);
  assertEquals([canceled.body.status, canceled.body.metadata], ["canceled", metadata]);
  stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  const { body: failed } = await stack.send(tenant, { ...text, ...given });
  const again = await stack.messages(tenant, "POST", `/messages/${failed.messageId}/retry`);
  assertEquals([again.body.status, again.body.metadata], ["queued", metadata]);
});

Deno.test("a template's metadata and cardId come back with its message", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const templateId = await templates.createTemplate(tenant);
  const { body } = await templates.post(tenant, { templateId, phone, ...given });
  const record = await stack.messages(tenant, "GET", `/messages/${body.internalMessageId}`);
  const { messageType, message, cardId } = record.body;
  assertEquals([messageType, message, cardId], ["template", "Olá", "card-7"]);
  assertEquals(record.body.metadata, metadata);
  assertEquals(stack.provider.requests.filter(({ text }) => text.includes("4711")), []);
});

Deno.test("the agent's opening has the call's metadata, its later replies have none", async () => {
  await using client = await createAgentClient();
  const opening = { initiateConversation: true, messageText: "Oi!", metadata };
  assertEquals(await client.open({ ...opening, phone: "5511977776666" }), 200);
  await client.write("IN-1", "oi");
  await client.answer();
  const { stack } = client.webhooks;
  const records = await Promise.all(
    (await client.messages()).map(async ({ id }) => {
      const { body } = await stack.messages(client.tenant, "GET", `/messages/${id}`);
      return [body.direction, body.message, body.metadata];
    }),
  );
  assertEquals(records, [
    ["outbound", "Oi!", metadata],
    ["inbound", "oi", {}],
    ["outbound", "Posso ajudar?", {}],
  ]);
});

Deno.test("metadata is part of what an Idempotency-Key stands for", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const key = { "Idempotency-Key": "order-1" };
  const first = await stack.send(tenant, { ...text, ...given }, key);
  const again = await stack.send(tenant, { ...text, ...given }, key);
  assertEquals(again.body.messageId, first.body.messageId);
  const other = await stack.send(tenant, { ...text, ...given, metadata: { order: "1" } }, key);
  assertEquals([other.status, other.body.error], [422, "idempotency_key_reused"]);
});
