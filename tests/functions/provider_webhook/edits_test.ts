import { assertEquals } from "../../support/assert.ts";
import { createChannels, readFeed } from "./channels.ts";
import { createAgent } from "../../support/fixtures/tenant.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  evolutionMessage,
  phone,
} from "./webhook_client.ts";

Deno.test("an edit of a contact's message changes its text, on both gateways, and asks no agent again", async () => {
  await using client = await createWebhookClient();
  const zapi = await client.createTenant();
  const evolution = await client.createTenant({ provider: "evolution" });
  await createAgent(client.stack.admin, zapi.instanceId);
  await client.receive(zapi, { messageId: "IN1", text: { message: "às 10h" } });
  const edited = { messageId: "IN1", text: { message: "às 11h" }, isEdit: true };
  for (const recorded of [1, 0]) {
    assertEquals((await client.receive(zapi, edited)).body.recorded, recorded);
  }
  await client.evolution(evolution, evolutionMessage({ conversation: "às 10h" }, { id: "EVO1" }));
  const edit = {
    event: "messages.edited",
    // As the author's phone sees it: our number, and marked as sent by us.
    data: {
      key: { remoteJid: "551140001234@s.whatsapp.net", fromMe: true, id: "EVO1" },
      type: "MESSAGE_EDIT",
      editedMessage: { conversation: "às 11h" },
    },
  };
  for (const recorded of [1, 0]) {
    assertEquals((await client.evolution(evolution, edit)).body.recorded, recorded);
  }
  for (const tenant of [zapi, evolution]) {
    const { body } = await client.history(tenant);
    assertEquals(body.conversation.map(({ content }: { content: string }) => content), ["às 11h"]);
  }
  const [asked] = await client.stack.admin`
    select count(*)::integer as rows from messaging.outbox where kind = 'agent_reply'`;
  assertEquals(asked?.["rows"], 1);
  // Z-API's event holds enough to record a message that is not known yet.
  await client.receive(zapi, { messageId: "IN2", text: { message: "novo" }, isEdit: true });
  assertEquals((await client.messages(zapi)).length, 2);
});

Deno.test("an edit of either side is told once of the first message and makes no second one, on every channel", async () => {
  await using client = await createWebhookClient();
  for (const { tenant, arrive, typed, edit } of await createChannels(client)) {
    await createAgent(client.stack.admin, tenant.instanceId);
    await arrive("THEIRS", "às 10h");
    await typed("OURS", "às 11h");
    client.stack.provider.answer = () => acceptAs("SENT");
    await client.stack.send(tenant, { phone, messageType: "text", message: "às 12h" });
    await client.stack.admin`delete from messaging.outbox`;
    const [received, ...ours] = await readFeed(client, tenant);
    for (const [id, by] of [["THEIRS", "contact"], ["OURS", "phone"], ["SENT", "phone"]] as const) {
      for (const recorded of [1, 0]) {
        assertEquals((await edit(id, `novo ${id}`, by)).body.recorded, recorded, id);
      }
    }
    const edits = (await readFeed(client, tenant)).slice(1 + ours.length);
    assertEquals(
      edits.map(({ type, data }) => [type, data.providerMessageId, data.message, data.status]),
      [
        ["message.edited", "THEIRS", "novo THEIRS", "received"],
        ["message.edited", "OURS", "novo OURS", "sent"],
        ["message.edited", "SENT", "novo SENT", "sent"],
      ],
    );
    assertEquals(edits.map(({ data }) => data.editedAt === null), [false, false, false]);
    assertEquals(received?.data.editedAt, null);
    assertEquals((await client.messages(tenant)).length, 3);
    assertEquals((await client.stack.admin`select from messaging.outbox`).length, 0);
  }
});

Deno.test("an edit of a message that was never stored is stored as a message, of the side that made it", async () => {
  await using client = await createWebhookClient();
  for (const { tenant, arrive, edit } of await createChannels(client)) {
    assertEquals((await edit("THEIRS", "às 11h", "contact")).body.recorded, 1);
    assertEquals((await edit("OURS", "às 12h", "phone")).body.recorded, 1);
    // Its first version comes later.
    await arrive("THEIRS", "às 10h");
    const stored = await client.messages(tenant);
    assertEquals(
      stored.map((row) => [row["provider_message_id"], row["direction"], row["message"]]),
      [["THEIRS", "inbound", "às 11h"], ["OURS", "outbound", "às 12h"]],
    );
    assertEquals(
      (await readFeed(client, tenant)).map(({ type }) => type),
      ["message.received", "message.sent"],
    );
  }
});

/** The acceptance of a send under this id, as each of the providers writes it. */
function acceptAs(id: string): Response {
  const answers = { zaapId: id, messageId: id, id, key: { id, fromMe: true }, messages: [{ id }] };
  return Response.json(answers, { status: 201 });
}

Deno.test("Evolution's Cloud channel: what became of ours is known by its id, of theirs it is no news", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  client.stack.provider.answer = () =>
    Response.json({ key: { id: "wamid.OURS", fromMe: true } }, { status: 201 });
  const { body } = await client.stack.send(tenant, { phone, messageType: "text", message: "Olá" });
  await client.evolution(tenant, evolutionMessage({ conversation: "oi" }, { id: "wamid.THEIRS" }));
  const update = (keyId: string, status: string): Promise<unknown> =>
    client.evolution(tenant, {
      event: "messages.update",
      data: { keyId, remoteJid: `${phone}@s.whatsapp.net`, fromMe: false, status },
    });
  for (const status of ["SENT", "DELIVERED", "READ"]) await update("wamid.OURS", status);
  await update("wamid.THEIRS", "READ");
  const rows = await client.messages(tenant);
  const statusOf = (id: unknown): unknown =>
    rows.find((row) => row["provider_message_id"] === id)?.["status"];
  assertEquals(statusOf("wamid.OURS"), "read");
  assertEquals(statusOf("wamid.THEIRS"), "received");
  assertEquals(body.providerMessageId, "wamid.OURS");
  assertEquals((await client.stack.admin`select from messaging.unmatched_statuses`).length, 0);
});

Deno.test("what nobody said or sent is in the history and asks no agent", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await createAgent(client.stack.admin, tenant.instanceId);
  const errors = [{ code: 131051, title: "Message type unknown" }];
  const silent: Readonly<Record<string, unknown>>[] = [
    { ...cloudText("wamid.1", ""), type: "unsupported", errors },
    { ...cloudText("wamid.2", ""), type: "unknown", errors },
    { ...cloudText("wamid.3", ""), type: "interactive", interactive: {} },
  ];
  // One delivery each: the grouped path. All in one: the other.
  for (const message of silent) await client.cloud(tenant, cloudPayload({ messages: [message] }));
  await client.cloud(
    tenant,
    cloudPayload({ messages: silent.map((message) => ({ ...message, id: `${message["id"]}b` })) }),
  );
  const { body } = await client.history(tenant);
  assertEquals(body.conversation.length, 6);
  assertEquals((await client.stack.admin`select from messaging.outbox`).length, 0);
});

Deno.test("a changed user id stays one contact, and messages go where they went or to the new id", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const from = (id: string, name: string): Record<string, unknown> => ({
    contacts: [{ profile: { name }, user_id: id }],
    messages: [{ ...cloudText(`wamid.${id}`, "oi"), from: undefined, from_user_id: id }],
  });
  await client.cloud(tenant, cloudPayload(from("BR.1", "Ana")));
  const change = {
    messages: [{
      id: "wamid.CHANGE",
      type: "system",
      system: { type: "user_changed_user_id", previous_user_id: "BR.1", user_id: "BR.2" },
    }],
  };
  for (const recorded of [1, 0]) {
    assertEquals((await client.cloud(tenant, cloudPayload(change))).body.recorded, recorded);
  }
  await client.cloud(tenant, cloudPayload(from("BR.2", "Ana")));
  assertEquals((await client.stack.admin`select from messaging.contacts`).length, 1);
  const [sendsTo] = await client.stack.admin`
    select messaging.contact_send_address(c, null) as address from messaging.contacts c`;
  assertEquals(sendsTo?.["address"], "BR.2");
});
