/** The audit that every test database has: it must see a change without its event. */

import { assertRejects } from "../../support/assert.ts";
import { createAgent, createOperator } from "../../support/fixtures/tenant.ts";
import { createEventWorld, inbound, phone } from "../../support/fixtures/event_world.ts";

/** Changes as product code could make them, without an event. */
const silent: Readonly<Record<string, string>> = {
  "a new contact": `
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    select id, '5511912345678', '5511912345678', 'api' from messaging.instances`,
  "a deleted contact": `delete from messaging.contacts where name is null`,
  "a contact's name": `update messaging.contacts set name = 'X'`,
  "a contact's job": `update messaging.contacts set job_title = 'X'`,
  "a contact's tags": `delete from messaging.contact_tags`,
  "a conversation's operator": `
    update messaging.conversations set assigned_to = (select id from messaging.operators)`,
  "a conversation's status": `update messaging.conversations set status = 'closed'`,
  "a portfolio": `
    insert into messaging.portfolios (contact_id, instance_id, operator_id)
    select c.id, c.instance_id, o.id from messaging.contacts c, messaging.operators o`,
  "a pause": `update messaging.agent_pauses set paused_until = now() + interval '1 day'`,
  "the end of a pause": `delete from messaging.agent_pauses`,
  "a hold": `update messaging.dispatch set hold_until = now() + interval '1 minute'`,
  "an operator's hold": `update messaging.dispatch set operator_hold_until = 'infinity'`,
  "a template's status": `update messaging.message_templates set provider_status = 'PAUSED'`,
};

Deno.test("a transaction of the product that changes what an event tells, and records none, fails", async (test) => {
  await using world = await createEventWorld();
  const { admin, sql } = world.database;
  const { workspaceId, instanceId } = world.tenant;
  await createAgent(admin, instanceId);
  await createOperator(admin, workspaceId, { name: "Ana", email: "ana@example.com" });
  await world.call("change_contact_tags", { phone, addTags: ["vip"], removeTags: [] });
  await world.receive(inbound("IN1"));
  await world.call("set_agent_pause", { phone, paused: true, minutes: 10 });
  await world.call("create_message_template", {
    ...{ workspaceId, instanceId, name: "a", language: "en", parameterFormat: "NAMED" },
    ...{ components: [], providerStatus: "APPROVED", providerTemplateId: "1" },
  });
  for (const [name, statement] of Object.entries(silent)) {
    await test.step(name, async () => {
      await assertRejects(() => sql.unsafe(statement), Error, "without its event");
    });
  }
});
