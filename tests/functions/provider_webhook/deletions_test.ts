import { assertEquals } from "../../support/assert.ts";
import { createChannels, readFeed } from "./channels.ts";
import { createWebhookClient, phone } from "./webhook_client.ts";

Deno.test("a message that a person deletes for everyone is told once, on every channel, and stays in the history", async () => {
  await using client = await createWebhookClient();
  for (const { tenant, typed, arrive, remove } of await createChannels(client)) {
    await arrive("THEIRS", "às 10h");
    await typed("OURS", "às 11h");
    for (const id of ["THEIRS", "OURS"]) {
      assertEquals((await remove(id)).body.recorded, 1);
      assertEquals((await remove(id)).body.recorded, 0);
    }
    const [received, sent, ...deletions] = await readFeed(client, tenant);
    assertEquals([received?.type, sent?.type], ["message.received", "message.sent"]);
    assertEquals(
      deletions.map(({ type, data }) => [type, data.providerMessageId, data.status, data.message]),
      [
        ["message.deleted", "THEIRS", "received", "às 10h"],
        ["message.deleted", "OURS", "sent", "às 11h"],
      ],
    );
    for (const { data } of deletions) assertEquals(data.contact.phone, phone);
    const { body } = await client.history(tenant);
    assertEquals(
      body.conversation.map(({ content }: { content: string }) => content),
      ["às 10h", "às 11h"],
    );
    // Also when the events are gone, it was told.
    await client.stack.admin`delete from messaging.events`;
    assertEquals((await remove("THEIRS")).body.recorded, 0);
    assertEquals(await readFeed(client, tenant), []);
  }
});

Deno.test("a deletion of a message that is not known is kept and changes nothing, also when the message comes later", async () => {
  await using client = await createWebhookClient();
  for (const { tenant, arrive, remove } of await createChannels(client)) {
    const { status, body } = await remove("LATER");
    assertEquals([status, body.recorded], [200, 0]);
    const kept = await client.stack.admin`
      select from messaging.provider_events
      where instance_id = ${tenant.instanceId} and payload like '%LATER%'`;
    assertEquals(kept.length, 1);
    await arrive("LATER", "oi");
    assertEquals((await readFeed(client, tenant)).map(({ type }) => type), ["message.received"]);
  }
});

Deno.test("a message that waits to be sent once more is neither deleted nor edited by what is told of the attempt before", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const text = { phone, messageType: "text", message: "às 10h" };
  const { messageId, providerMessageId } = (await client.stack.send(tenant, text)).body;
  await client.zapi(tenant, {
    ...{ type: "DeliveryCallback", phone, zaapId: "Z" },
    ...{ messageId: providerMessageId, error: "Phone number does not exist" },
  });
  const retried = await client.stack.messages(tenant, "POST", `/messages/${messageId}/retry`);
  assertEquals([retried.status, retried.body.status], [200, "queued"]);
  const told = { messageId: providerMessageId, fromMe: true, fromApi: false };
  for (
    const change of [
      { notification: "REVOKE" },
      { text: { message: "às 11h" }, isEdit: true },
    ]
  ) {
    assertEquals((await client.receive(tenant, { ...told, ...change })).body.recorded, 0);
  }
  const { body } = await client.stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals([body.status, body.message, body.editedAt, body.deletedAt], [
    ...["queued", "às 10h", null, null],
  ]);
});
