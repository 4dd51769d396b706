import { assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import type { MessagingStack } from "../../support/stack/messaging_stack.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { phone, startTemplateStack } from "./template_stack.ts";

const userId = "BR.1A2B3C";

Deno.test("a template goes to a contact by its id or its user id, with or without a phone", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const templateId = await templates.createTemplate(tenant);
  const byPhone = await templates.post(tenant, { templateId, phone });
  const { contactId } = byPhone.body;
  const byId = await templates.post(tenant, { templateId, contactId });
  assertEquals([byId.status, byId.body.contactId, byId.body.phone], [200, contactId, phone]);
  const hidden = await templates.post(tenant, { templateId, userId });
  assertEquals([hidden.status, hidden.body.status, hidden.body.phone], [200, "sent", null]);
  const again = await templates.post(tenant, { templateId, contactId: hidden.body.contactId });
  assertEquals([again.status, again.body.contactId], [200, hidden.body.contactId]);
  const addressees = stack.provider.requests.map(({ json }) => json["to"] ?? json["recipient"]);
  assertEquals(addressees, [phone, phone, userId, userId]);
  const unknown = await templates.post(tenant, { templateId, contactId: crypto.randomUUID() });
  assertEquals([unknown.status, unknown.body.error], [404, "contact_not_found"]);
});

Deno.test("a code goes to a phone alone: without one it is recipient_needs_phone, and nothing is stored", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const templateId = await templates.createTemplate(tenant, { category: "AUTHENTICATION" });
  const [contact] = await stack.admin<{ id: string }[]>`
    insert into messaging.contacts (instance_id, identity_key, origin)
    values (${tenant.instanceId}, ${userId}, 'inbound') returning id`;
  for (const target of [{ userId }, { contactId: contact?.id }]) {
    for (const queued of [false, true]) {
      const answer = await templates.post(tenant, { templateId, ...target, queued });
      assertEquals([answer.status, answer.body.error], [409, "recipient_needs_phone"]);
    }
  }
  assertEquals((await stack.admin`select from messaging.messages`).length, 0);
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("a code goes to the phone of a contact who writes from a user id, at once and from the queue", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const templateId = await templates.createTemplate(tenant, { category: "AUTHENTICATION" });
  const contactId = await addContactWithUserId(stack, tenant);
  await templates.post(tenant, { templateId, phone });
  await templates.post(tenant, { templateId, contactId });
  await templates.post(tenant, { templateId, contactId, delayMessage: 60 });
  await letTimePass(stack.admin, 61);
  await stack.dispatch();
  const addressees = stack.provider.requests.map(({ json }) => json["to"] ?? json["recipient"]);
  assertEquals(addressees, [phone, phone, phone]);
});

/** A contact with this phone, whose address last proven is its user id. */
async function addContactWithUserId(
  { admin }: MessagingStack,
  { instanceId }: Tenant,
): Promise<string> {
  const [contact] = await admin<{ id: string }[]>`
    insert into messaging.contacts (instance_id, phone, identity_key, origin, last_inbound_at)
    values (${instanceId}, ${phone}, ${phone}, 'inbound', now()) returning id`;
  const id = contact?.id ?? "";
  await admin`
    insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
    values (${instanceId}, ${userId}, ${id}, now())`;
  await admin`insert into messaging.conversations (instance_id, contact_id) values (${instanceId}, ${id})`;
  return id;
}
