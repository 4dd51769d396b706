import { assert, assertEquals } from "../../support/assert.ts";
import {
  callFunction,
  claimMessages,
  enqueueText,
  settleClaim,
} from "../../support/database/queue_calls.ts";
import { countWaiting, isWaiting } from "../../support/database/sessions.ts";
import { startHttpDouble } from "../../support/doubles/http_double.ts";
import { createAgent, createOperator } from "../../support/fixtures/tenant.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { complete } from "../agents/agent_client.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  evolutionMessage,
  phone,
} from "./webhook_client.ts";
import { callUntyped } from "../../support/database/untyped_calls.ts";
import { createTestDatabase } from "../../support/database/database.ts";

const lid = "81896604192873@lid";
const newPhone = "5521988887777";
const newPhoneWithoutNinth = "552188887777";

Deno.test("a contact who changed its number is found under both spellings of the new one", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.cloud(tenant, cloudPayload({ messages: [cloudText("IN1", "oi")] }));
  const changed = await client.cloud(
    tenant,
    cloudPayload({
      messages: [{
        id: "SYS1",
        from: phone,
        timestamp: "1749416383",
        type: "system",
        system: { type: "user_changed_number", wa_id: newPhone, body: "changed" },
      }],
    }),
  );
  assertEquals(changed.body.recorded, 1);
  await client.cloud(
    tenant,
    cloudPayload({ messages: [cloudText("IN2", "mudei", { from: newPhoneWithoutNinth })] }),
  );
  const sent = await client.stack.send(tenant, {
    phone: newPhoneWithoutNinth,
    messageType: "text",
    message: "certo",
  });
  assertEquals(sent.status, 200);
  const contacts = await client.stack.admin`select phone from messaging.contacts`;
  assertEquals(contacts.map((contact) => contact["phone"]), [phone]);
  // Messages go to the spelling that the contact last wrote from, because it is known to work.
  assertEquals(client.stack.provider.requests[0]?.json["to"], newPhoneWithoutNinth);
  for (const spelling of [phone, newPhone, newPhoneWithoutNinth]) {
    const history = await client.history(tenant, { phone: spelling });
    assertEquals(history.body.totalMessages, 3);
  }
});

Deno.test("a number of another contact is not taken over by a change", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.stack.admin`
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    values (${tenant.instanceId}, ${newPhone}, messaging.phone_identity_key(${newPhone}), 'api')`;
  const texts = [cloudText("IN1", "oi"), cloudText("IN2", "olá", { from: newPhone })];
  await client.cloud(tenant, cloudPayload({ messages: texts }));
  const change = {
    ...{ id: "SYS1", from: phone, timestamp: "1749416383", type: "system" },
    system: { type: "user_changed_number", wa_id: newPhoneWithoutNinth },
  };
  const changed = await client.cloud(tenant, cloudPayload({ messages: [change] }));
  assertEquals([changed.status, changed.body.recorded], [200, 0]);
  const history = await client.history(tenant, { phone: newPhoneWithoutNinth });
  assertEquals(history.body.totalMessages, 1);
});

/** The official channel's event for a contact that changed its number. */
function numberChange(
  from: string,
  to: string,
  id: string = crypto.randomUUID(),
): Record<string, unknown> {
  const system = { type: "user_changed_number", wa_id: to };
  return cloudPayload({
    messages: [{ id, from, timestamp: "1749416383", type: "system", system }],
  });
}

Deno.test("a message goes to the number that a contact went back to", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.cloud(tenant, cloudPayload({ messages: [cloudText("IN1", "oi")] }));
  await client.cloud(tenant, numberChange(phone, newPhone));
  await client.cloud(tenant, numberChange(newPhone, phone));
  await client.stack.send(tenant, { phone, messageType: "text", message: "certo" });
  await client.cloud(tenant, numberChange(phone, newPhone));
  await client.cloud(tenant, cloudPayload({ messages: [cloudText("IN2", "voltei")] }));
  await client.stack.send(tenant, { phone, messageType: "text", message: "certo" });
  assertEquals(client.stack.provider.requests.map(({ json }) => json["to"]), [phone, phone]);
});

Deno.test("an operator is shown the number that a contact goes on under", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const shown: string[] = [];
  const assign = async (name: string): Promise<void> => {
    const assignTo = await createOperator(client.stack.admin, tenant.workspaceId, {
      name,
      email: `${name}@example.com`,
    });
    assertEquals((await client.stack.send(tenant, { phone, assignTo })).status, 200);
    const [row] = await client.stack.admin`
      select payload->>'contactPhone' as phone from messaging.outbox
      where payload->>'operatorName' = ${name}`;
    shown.push(row?.["phone"]);
  };
  await client.cloud(tenant, cloudPayload({ messages: [cloudText("IN1", "oi")] }));
  await assign("ana");
  await client.cloud(tenant, numberChange(phone, newPhone));
  await assign("bia");
  await client.cloud(tenant, cloudPayload({ messages: [cloudText("IN2", "voltei")] }));
  await assign("caio");
  assertEquals(shown, [phone, newPhone, phone]);
});

Deno.test("a change of number that is told twice counts once", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.cloud(tenant, cloudPayload({ messages: [cloudText("IN1", "oi")] }));
  const change = numberChange(phone, newPhone, "wamid.SYS1");
  assertEquals((await client.cloud(tenant, change)).body.recorded, 1);
  await client.cloud(tenant, cloudPayload({ messages: [cloudText("IN2", "voltei")] }));
  assertEquals((await client.cloud(tenant, change)).body.recorded, 0);
  await client.stack.send(tenant, { phone, messageType: "text", message: "certo" });
  assertEquals(client.stack.provider.requests[0]?.json["to"], phone);
});

Deno.test("everybody whom one event names without a phone is one person", async () => {
  await using client = await createWebhookClient();
  for (const withPhone of [false, true]) {
    const tenant = await client.createTenant({ provider: "evolution" });
    const hidden = ["111111@lid", "222222@lid"];
    for (const remoteJid of hidden) {
      await client.evolution(
        tenant,
        evolutionMessage({ conversation: "oi" }, { remoteJid, id: remoteJid }),
      );
    }
    const [remoteJid, remoteJidAlt] = hidden;
    const senderPn = withPhone ? { senderPn: `${phone}@s.whatsapp.net` } : {};
    await client.evolution(
      tenant,
      evolutionMessage(
        { conversation: "sou eu" },
        { remoteJid, remoteJidAlt, id: "BOTH", ...senderPn },
      ),
    );
    const stored = await client.messages(tenant);
    assertEquals(stored.length, 3);
    assertEquals(new Set(stored.map((message) => message["contact_id"])).size, 1);
  }
});

Deno.test("a contact that has just written from the new number is the one that changed it", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.cloud(tenant, cloudPayload({ messages: [cloudText("IN1", "oi")] }));
  const fromNew = cloudText("IN2", "mudei", { from: newPhone });
  await client.cloud(tenant, cloudPayload({ messages: [fromNew] }));
  await client.cloud(tenant, numberChange(phone, newPhone));
  await client.stack.send(tenant, { phone, messageType: "text", message: "certo" });
  assertEquals(client.stack.provider.requests[0]?.json["to"], newPhone);
  assertEquals((await client.stack.admin`select from messaging.contacts`).length, 1);
  assertEquals((await client.history(tenant)).body.totalMessages, 3);
});

Deno.test("a new contact waits for the event that shows whose number it is", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  for (let round = 0; round < 20; round++) {
    const [from, to] = [`55119${40000000 + round}`, `55119${60000000 + round}`];
    await client.cloud(
      tenant,
      cloudPayload({ messages: [cloudText(`IN${round}`, "oi", { from })] }),
    );
    await Promise.all([
      client.cloud(tenant, numberChange(from, to)),
      client.stack.send(tenant, { phone: to, messageType: "text", message: "Oi" }),
    ]);
  }
  // In either order: no number is the phone of one contact and the address of another.
  const torn = await client.stack.admin`
    select from messaging.contacts c
    join messaging.contact_addresses a on a.instance_id = c.instance_id
      and a.identity_key = c.identity_key and a.contact_id <> c.id`;
  assertEquals(torn.length, 0);
});

Deno.test("a phone that the provider's answer shows is the contact's, and makes one of two", async () => {
  await using client = await createWebhookClient();
  const userId = "BR.1A2B3C4D5E6F";
  for (const isKnown of [false, true]) {
    const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
    const email = "bia@example.com";
    await createOperator(client.stack.admin, tenant.workspaceId, { name: "Bia", email });
    await createAgent(client.stack.admin, tenant.instanceId);
    await using model = startHttpDouble(() => complete("Tem, sim."));
    if (isKnown) {
      await client.cloud(tenant, cloudPayload({ messages: [cloudText("IN0", "oi")] }));
      await client.letAgentAnswer(model);
    }
    await client.cloud(
      tenant,
      cloudPayload({
        contacts: [{ profile: { name: "Ana" }, user_id: userId }],
        messages: [{ ...cloudText("IN1", "tem pão?"), from: undefined, from_user_id: userId }],
      }),
    );
    client.stack.provider.answer = () =>
      Response.json({
        contacts: [{ input: userId, wa_id: phone }],
        messages: [{ id: crypto.randomUUID() }],
      });
    await client.letAgentAnswer(model);
    const sent = client.stack.provider.requests.at(-1)?.json;
    assertEquals([sent?.["recipient"], sent?.["to"]], [userId, undefined]);
    const contacts = await client.stack.admin`
      select phone from messaging.contacts where instance_id = ${tenant.instanceId}`;
    assertEquals(contacts.map((contact) => contact["phone"]), [phone]);
    const assigned = await client.stack.send(tenant, { phone, assignTo: email });
    assertEquals(assigned.status, 200);
  }
  await client.stack.dispatch();
  assertEquals(client.stack.mail.requests.length, 2);
});

Deno.test("two spellings proven by one settling are one address of one contact", async () => {
  await using client = await createWebhookClient();
  const { admin } = client.stack;
  const tenants = await Promise.all([client.createTenant(), client.createTenant()]);
  for (const { instanceId } of tenants) await enqueueText(admin, instanceId, { phone: newPhone });
  const claims = await claimMessages(admin);
  const waIds = [newPhone, newPhoneWithoutNinth];
  for (const waId of waIds) {
    const sending = await client.stack.send(tenants[0]!, {
      phone: waId,
      messageType: "text",
      message: "x",
      delayMessage: 1,
    });
    assertEquals(sending.body.mode, "scheduled");
  }
  await admin`update messaging.message_queue set visible_at = now() where lane = 'unpaced'`;
  const due = await claimMessages(admin);
  assertEquals(due.length, 2);
  const settled = await callFunction<{ settled: string[] }>(admin, "settle_messages", {
    results: due.map(({ messageId, claimToken }, index) => ({
      ...{ messageId, claimToken, outcome: "accepted", providerMessageId: `P${index}` },
      waId: waIds[index],
    })),
  });
  assertEquals(settled.settled.length, 2);
  const addresses = await admin`select address from messaging.contact_addresses`;
  assertEquals(addresses.length, 1);
  for (const claim of claims) assertEquals((await settleClaim(admin, claim)).length, 1);
});

Deno.test("a contact that wrote without a phone is the same contact once the phone is shown", async () => {
  await using client = await createWebhookClient();
  const gateway = await client.createTenant();
  await client.receive(gateway, { messageId: "IN1", phone: lid, text: { message: "oi" } });
  await client.receive(gateway, { messageId: "IN2", senderLid: lid, text: { message: "sou eu" } });
  await client.receive(gateway, { messageId: "IN3", text: { message: "ainda eu" } });
  const stored = await client.messages(gateway);
  assertEquals(new Set(stored.map((message) => message["contact_id"])).size, 1);
  assertEquals(stored.map((message) => message["phone"]), [phone, phone, phone]);
  const told = (await client.history(gateway)).body.conversation;
  assertEquals(told.map(({ sender }: { sender: string }) => sender), [phone, phone, phone]);

  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const userId = "BR.1A2B3C4D5E6F";
  const contacts = [{ profile: { name: "Ana" }, user_id: userId, wa_id: phone }];
  await client.cloud(
    official,
    cloudPayload({
      contacts: [{ profile: { name: "Ana" }, user_id: userId }],
      messages: [{ ...cloudText("IN1", "oi"), from: undefined, from_user_id: userId }],
    }),
  );
  const both = { ...cloudText("IN2", "meu número"), from_user_id: userId };
  await client.cloud(official, cloudPayload({ contacts, messages: [both] }));
  const known = await client.messages(official);
  assertEquals(new Set(known.map((message) => message["contact_id"])).size, 1);
  const history = await client.history(official);
  assertEquals(history.body.conversation.map((item: { content: string }) => item.content), [
    "oi",
    "meu número",
  ]);
});

Deno.test("a phone's contact and one known by a hidden identity alone become one once both are shown", async () => {
  await using client = await createWebhookClient();
  const { admin } = client.stack;
  const tenant = await client.createTenant();
  const text = { phone, messageType: "text", message: "Olá" };
  await client.stack.send(tenant, text);
  await client.stack.send(tenant, { ...text, message: "depois", queued: true, delayMessage: 600 });
  await client.receive(tenant, { messageId: "IN1", phone: lid, text: { message: "oi" } });
  await client.receive(tenant, { messageId: "IN2", phone: lid, text: { message: "tem aí?" } });
  const [hidden] = await admin`select id from messaging.contacts where phone is null`;
  await admin`
    update messaging.contacts set name = 'Ana', is_blocked = true,
      custom_labels = '{"cor": "azul"}' where id = ${hidden?.["id"]}`;
  await admin`
    with tag as (
      insert into messaging.tags (instance_id, name, color)
      values (${tenant.instanceId}, 'vip', '#000000') returning id
    )
    insert into messaging.contact_tags (contact_id, tag_id) select ${hidden?.["id"]}, id from tag`;
  await admin`
    insert into messaging.internal_notes (instance_id, conversation_id, note)
    select instance_id, id, 'Ligar' from messaging.conversations where contact_id = ${
    hidden?.["id"]
  }`;

  await client.receive(tenant, { messageId: "IN3", senderLid: lid, text: { message: "sou eu" } });
  const contacts = await admin`
    select c.phone, c.name, c.is_blocked, c.custom_labels,
      (select count(*)::int from messaging.contact_tags t where t.contact_id = c.id) as tags,
      (select count(*)::int from messaging.internal_notes n) as notes,
      (select count(*)::int from messaging.conversations) as conversations
    from messaging.contacts c`;
  assertEquals(contacts.map((row) => ({ ...row })), [{
    phone,
    name: "Ana",
    is_blocked: true,
    custom_labels: { cor: "azul" },
    tags: 1,
    notes: 1,
    conversations: 1,
  }]);
  const stored = await client.messages(tenant);
  assertEquals(stored.length, 5);
  assertEquals(new Set(stored.map((message) => message["conversation_id"])).size, 1);
  await client.receive(tenant, { messageId: "IN4", phone: lid, text: { message: "e agora" } });
  assertEquals((await admin`select from messaging.contacts`).length, 1);
  const told = (await client.history(tenant)).body.conversation;
  assertEquals(told.map(({ content }: { content: string }) => content), [
    ...["Olá", "oi", "tem aí?", "sou eu", "e agora"],
  ]);
});

Deno.test("two contacts with a phone each stay two, whatever identity they are shown with", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const other = "5511966665555";
  await client.receive(tenant, { messageId: "IN1", senderLid: lid, text: { message: "oi" } });
  await client.receive(tenant, { messageId: "IN2", phone: other, text: { message: "oi" } });
  await client.receive(tenant, {
    ...{ messageId: "IN3", phone: other, senderLid: lid },
    text: { message: "oi" },
  });
  const stored = await client.messages(tenant);
  assertEquals(stored.map((message) => message["phone"]), [phone, other, other]);
});

Deno.test("the agent answers what was asked under a hidden identity though the contact is another one by then", async () => {
  await using client = await createWebhookClient();
  await using model = startHttpDouble(() => complete("Tem, sim."));
  const tenant = await client.createTenant();
  await createAgent(client.stack.admin, tenant.instanceId);
  await client.stack.send(tenant, {
    phone,
    messageType: "text",
    message: "Olá",
    sentBy: "ai_agent",
  });
  await client.receive(tenant, { messageId: "IN1", phone: lid, text: { message: "tem pão?" } });
  await client.receive(tenant, { messageId: "IN2", senderLid: lid, text: { message: "quente?" } });
  await client.letAgentAnswer(model);
  assertEquals(model.requests.length, 1);
  const asked = model.requests[0]?.json["messages"] as { content: string }[];
  assertEquals(asked.slice(2).map(({ content }) => content), ["Olá", "tem pão?\nquente?"]);
  const sent = client.stack.provider.requests.map(({ json }) => json["message"]);
  assertEquals(sent, ["Olá", "Tem, sim."]);
});

Deno.test("contacts that become one while everybody writes to them lose no message", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  for (let round = 0; round < 6; round++) {
    const number = `55119${50000000 + round}`;
    const hidden = `9${round}896604192873@lid`;
    const at = (n: number): string => `${number}-${n}`;
    const write = (n: number): Promise<{ status: number }> => {
      const message = { messageId: at(n), text: { message: "oi" } };
      switch (n % 4) {
        case 0:
          return client.receive(tenant, { ...message, phone: hidden });
        case 1:
          return client.receive(tenant, { ...message, phone: number });
        case 2:
          return client.receive(tenant, { ...message, phone: number, senderLid: hidden });
        default:
          return client.stack.send(tenant, { phone: number, messageType: "text", message: "Oi" });
      }
    };
    const answers = await Promise.all(Array.from({ length: 16 }, (_, n) => write(n)));
    assertEquals(answers.map(({ status }) => status), Array(16).fill(200), `round ${round}`);
    await write(18);
  }
  assertEquals((await client.stack.admin`select from messaging.contacts`).length, 6);
  assertEquals((await client.messages(tenant)).length, 6 * 17);
});

Deno.test("an address is looked up by an index, however many there are", async () => {
  // A used one may have statistics of empty tables, by which each new row would read all others.
  await using testDatabase = await createTestDatabase({ own: true });
  await using client = await createWebhookClient({ testDatabase });
  const { admin } = client.stack;
  const { instanceId } = await client.createTenant();
  await admin.begin(async (transaction) => {
    // What comes with a contact otherwise is not looked up.
    await transaction`set local session_replication_role = replica`;
    await transaction`
      with made as (
        insert into messaging.contacts (instance_id, phone, identity_key, origin)
        select ${instanceId}, '551130' || lpad(n::text, 6, '0'), '551130' || lpad(n::text, 6, '0'),
          'api'
        from generate_series(1, 20000) n
        returning id, instance_id, phone
      )
      insert into messaging.contact_addresses (instance_id, address, contact_id)
      select made.instance_id, '44' || made.phone, made.id from made`;
  });
  await admin`analyze messaging.contact_addresses`;
  const plan = await admin`
    explain select c.* from messaging.contact_addresses a
    join messaging.contacts c on c.id = a.contact_id
    where a.instance_id = ${instanceId}
      and a.identity_key = messaging.phone_identity_key('44551130000077')`;
  const lines = plan.map((line) => line["QUERY PLAN"]).join("\n");
  assert(!lines.includes("Seq Scan"), lines);
});

Deno.test("a message that is settled while its contact becomes another one stays", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const { admin, database } = client.stack;
  await client.receive(tenant, { messageId: "IN1", text: { message: "oi" } });
  await client.receive(tenant, { messageId: "IN2", phone: lid, text: { message: "tem pão?" } });
  const claimToken = crypto.randomUUID();
  const [waiting] = await admin`
    with waiting as (
      insert into messaging.messages (
        instance_id, contact_id, conversation_id, direction, message_type, message, mode, status
      )
      select instance_id, contact_id, conversation_id, 'outbound', 'text', 'Tem.', 'sent', 'sending'
      from messaging.messages where provider_message_id = 'IN2'
      returning id, instance_id
    )
    insert into messaging.message_queue (
      message_id, instance_id, lane, scheduled_at, visible_at, claim_token, lease_until
    )
    select id, instance_id, 'unpaced', now(), now() + interval '1 minute', ${claimToken}::uuid,
      now() + interval '1 minute'
    from waiting returning message_id`;
  // Another session holds a lock on a message that the merge moves at once: it waits to be sent.
  const isHeld = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const holding = admin.begin(async (sql) => {
    await sql`select from messaging.messages where id = ${waiting?.["message_id"]} for update`;
    isHeld.resolve();
    await letGo.promise;
  });
  await isHeld.promise;
  const merging = client.receive(tenant, {
    ...{ messageId: "IN3", senderLid: lid, text: { message: "sou eu" } },
  });
  await waitUntil(() => isWaiting(admin), { what: "the merge to wait for the message" });
  const settling = callUntyped(database, "settle_messages", {
    results: [{
      messageId: waiting?.["message_id"],
      claimToken,
      outcome: "accepted",
      providerMessageId: "OUT1",
    }],
  });
  let isSettled = false;
  settling.then(() => isSettled = true, () => isSettled = true);
  await waitUntil(async () => isSettled || await countWaiting(admin) === 2, {
    what: "the settling, or its wait for the merge",
  });
  letGo.resolve();
  await holding;
  await Promise.all([merging, settling]);
  const history = await client.history(tenant);
  assertEquals(history.body.conversation.map((item: { content: string }) => item.content).sort(), [
    "Tem.",
    "oi",
    "sou eu",
    "tem pão?",
  ]);
});
