/** What a caller keeps with a message (`callerFields`): from each sending call to wherever it is shown. */

import { createMessagesContextApp } from "../../../functions/messages-context/app.ts";
import {
  type CallerFields,
  readCallerFields,
  type ShownCallerFields,
} from "../../../shared/model/caller_fields.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createOperator } from "../../support/fixtures/tenant.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { createAgentClient } from "../agents/agent_client.ts";
import { startTemplateStack } from "../send_template_message/template_stack.ts";

const phone = "5511987654321";
const text = { phone, messageType: "text", message: "Olá" };
const metadata = { order: "4711", "não só ASCII": "ção", empty: "" };
const given = { cardId: "card-7", metadata } satisfies Required<CallerFields>;

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
      assertEquals(readCallerFields(body), given, way);
    }
  }
  const [without] = await Promise.all([stack.send(tenant, text)]);
  const { body } = await stack.messages(tenant, "GET", `/messages/${without.body.messageId}`);
  assertEquals([body.cardId, body.metadata], [null, {}]);
});

interface ShownMessage extends ShownCallerFields {
  readonly messageId: string;
}

/** Everywhere that a message is shown: its record, its event, and the history of its phone. */
async function readShown(
  stack: MessagingStack,
  tenant: Tenant,
  messageId: string,
): Promise<readonly ShownCallerFields[]> {
  const headers = { "X-Client-Token": tenant.token };
  const { body: record } = await stack.messages(tenant, "GET", `/messages/${messageId}`);
  const feed = await stack.request("/events-api/events?after=oldest&types=message.sent", {
    headers,
  });
  const events: readonly { data: ShownMessage }[] = feed.body.items;
  const event = events.find(({ data }) => data.messageId === messageId)?.data;
  const [start = "", end = ""] = [-1, 1].map((days) =>
    new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  );
  const { instanceId } = tenant;
  const search = new URLSearchParams({ instanceId, phone, start, end, format: "raw" });
  const history = await createMessagesContextApp(stack.services)
    .request(`/messages-context?${search}`, { headers });
  const { messages } = await history.json() as { messages: ShownMessage[] };
  const row = messages.find((message) => message.messageId === messageId);
  assert(event !== undefined && row !== undefined, messageId);
  return [record, event, row];
}

Deno.test("what a caller keeps with a message is in its record, its event and the raw history", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { body: sent } = await stack.send(tenant, { ...text, ...given });
  const { body: batch } = await stack.request("/batches-api/batches", {
    method: "POST",
    headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
    body: JSON.stringify({
      message: { messageType: "text", message: "Oi" },
      recipients: [{ phone, ...given }],
    }),
  });
  await stack.request(`/batches-api/batches/${batch.batchId}/start`, {
    method: "POST",
    headers: { "X-Client-Token": tenant.token },
  });
  const ofBatch = await waitUntil(async () => {
    const { body } = await stack.messages(tenant, "GET", `/messages?batchId=${batch.batchId}`);
    return body.items[0];
  });
  const shown = [...await readShown(stack, tenant, sent.messageId), ofBatch];
  for (const record of shown) assertEquals(readCallerFields(record), given, JSON.stringify(record));
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
  const { messageType, message } = record.body;
  assertEquals([messageType, message], ["template", "Olá"]);
  assertEquals(readCallerFields(record.body), given);
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
