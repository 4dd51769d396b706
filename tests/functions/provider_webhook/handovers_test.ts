/** Who of a number's responders holds a conversation, by what the official channel tells. */
import { assert, assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  type Delivered,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

const contacts = [{ profile: { name: "Ana" }, wa_id: phone }];

type Written = readonly [id: string, field: "messages" | "standby", inSeconds?: number];

interface Shop {
  readonly client: WebhookClient;
  readonly tenant: Tenant;
  /** Its phone number id. */
  readonly number: string;
  /** An instant as the channel tells it, so many seconds after the shop was opened. */
  at(seconds: number): number;
  /** A message of the contact, at such an instant. */
  write(...message: Written): Promise<Delivered>;
  /** Such messages in one webhook. */
  writeTogether(...messages: readonly Written[]): Promise<Delivered>;
  handOver(type: string, told: Body, changes?: Body): Promise<Delivered>;
  /** Each change of who holds the conversation. */
  changes(): Promise<Body[]>;
  holder(): Promise<string>;
  countRequests(): Promise<number>;
}

async function openShop(client: WebhookClient): Promise<Shop> {
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.stack.admin`insert into messaging.ai_agents (instance_id, name, instructions, model)
    values (${tenant.instanceId}, 'A', 'B', 'c')`;
  const { admin } = client.stack;
  const [{ number } = {}] = await admin`
    select gateway_instance_id as number from messaging.instances where id = ${tenant.instanceId}`;
  const openedAt = Math.floor(Date.now() / 1_000);
  const at = (seconds: number): number => openedAt + seconds;
  const change = (...[id, field, inSeconds = 0]: Written): Body => {
    const message = { ...cloudText(id, id), timestamp: String(at(inSeconds)) };
    const payload = JSON.parse(JSON.stringify(cloudPayload({ contacts, messages: [message] })));
    const [{ value, ...rest }] = payload.entry[0].changes;
    if (field === "messages") return { ...rest, value };
    const { metadata, ...standby } = value;
    return { field, value: { metadata, standby } };
  };
  const deliver = (changes: readonly Body[]): Promise<Delivered> =>
    client.cloud(tenant, {
      object: "whatsapp_business_account",
      entry: [{ id: "102290129340398", changes }],
    });
  return {
    number,
    client,
    tenant,
    at,
    write: (id, field, inSeconds) => deliver([change(id, field, inSeconds)]),
    writeTogether: (...written) => deliver(written.map((parts) => change(...parts))),
    handOver: (type, told, changes = {}) =>
      deliver([{
        field: "messaging_handovers",
        value: {
          messaging_product: "whatsapp",
          recipient: { display_phone_number: "5511955554444", phone_number_id: number },
          sender: { phone_number: phone },
          timestamp: at(0),
          ...{ type, [type]: told, ...changes },
        },
      }]),
    changes: async () => {
      const rows = await admin`
        select data from messaging.events
        where instance_id = ${tenant.instanceId} and type = 'conversation.control_changed'
        order by sequence`;
      return rows.map(({ data: { handledBy, previous, reason, summary } }) =>
        summary === undefined
          ? [previous, handledBy, reason]
          : [previous, handledBy, reason, summary]
      );
    },
    holder: async () => {
      const { body } = await client.stack.request(
        `/conversations-api/conversations?phone=${phone}`,
        { headers: { "x-client-token": tenant.token } },
      );
      return body.items[0].handledBy;
    },
    countRequests: async () =>
      (await admin`select from messaging.outbox where kind = 'agent_reply'`).length,
  };
}

Deno.test("who holds a conversation follows from what the channel shows and tells, each change told once", async () => {
  await using client = await createWebhookClient();
  const shop = await openShop(client);
  await shop.write("W1", "messages", -60);
  assertEquals([await shop.holder(), await shop.changes()], ["us", []]);
  await shop.write("W2", "standby", -50);
  await shop.write("W3", "standby", -49);
  assertEquals(await shop.holder(), "other");
  const passed = {
    ...{ previous_owner_role: "ai_agent", new_owner_role: "escalation" },
    conversation_context: { type: "summary", summary: { text: "Quer remarcar." } },
  };
  const passedAt = { timestamp: shop.at(-40) };
  const delivered = await shop.handOver("control_passed", passed, passedAt);
  assertEquals(delivered.body, { success: true, recorded: 1 });
  const again = await shop.handOver("control_passed", passed, passedAt);
  assertEquals(again.body.recorded, 0);
  assertEquals(await shop.holder(), "us");
  await shop.handOver("control_taken", { metadata: "x", new_owner_role: "escalation" }, {
    timestamp: String(shop.at(-30)),
  });
  assertEquals(await shop.holder(), "other");
  await shop.write("W4", "messages", -20);
  assertEquals(await shop.holder(), "us");
  assertEquals(await shop.changes(), [
    ["us", "other", "standby"],
    ["channel_agent", "us", "passed", "Quer remarcar."],
    ["us", "other", "taken"],
    ["other", "us", "message"],
  ]);
  const records = (await client.stack.messages(shop.tenant, "GET", "/messages")).body.items;
  assertEquals(records.map((record: Body) => [record.message, record.handledBy]), [
    ...[["W1", "us"], ["W2", "other"], ["W3", "other"], ["W4", "us"]],
  ]);
  const events = (await client.stack.request("/events-api/events?after=oldest", {
    headers: { "x-client-token": shop.tenant.token },
  })).body.items;
  const received = events.filter(({ type }: Body) => type === "message.received");
  assertEquals(received.map(({ data }: Body) => data.handledBy), ["us", "other", "other", "us"]);
});

Deno.test("of messages that come together the last one says who holds the conversation", async () => {
  await using client = await createWebhookClient();
  const shop = await openShop(client);
  await shop.writeTogether(["W1", "standby", -50], ["W2", "messages", -40]);
  assertEquals(await shop.holder(), "us");
  await shop.writeTogether(["W3", "messages", -30], ["W4", "standby", -20]);
  assertEquals(await shop.holder(), "other");
  assertEquals(await shop.changes(), [
    ["us", "other", "standby"],
    ["other", "us", "message"],
    ["us", "other", "standby"],
  ]);
});

Deno.test("what was told before the last decision changes nothing", async () => {
  await using client = await createWebhookClient();
  const shop = await openShop(client);
  await shop.write("W1", "standby", -30);
  await shop.handOver("control_passed", {}, { timestamp: shop.at(-20) });
  await shop.write("W0", "standby", -40);
  await shop.handOver("control_taken", {}, { timestamp: shop.at(-35) });
  assertEquals(await shop.holder(), "us");
  assertEquals(await shop.changes(), [["us", "other", "standby"], ["other", "us", "passed"]]);
});

Deno.test("the agent is silent while another one holds the conversation, and answers when it is passed to us", async () => {
  await using client = await createWebhookClient();
  const shop = await openShop(client);
  await shop.write("W1", "messages", -60);
  assertEquals(await shop.countRequests(), 1);
  const [{ id: conversationId } = {}] = await client.stack.admin`
    select id from messaging.conversations where instance_id = ${shop.tenant.instanceId}`;
  const read = async (): Promise<unknown> => {
    const { instanceId } = shop.tenant;
    const { turn } = await client.stack.database.rpc("read_agent_turn", {
      ...{ instanceId, conversationId, limit: 10 },
    });
    return turn === null ? null : turn.agentId;
  };
  assert(await read() !== null);
  await shop.handOver("control_taken", { new_owner_role: "ai_agent" }, { timestamp: shop.at(-30) });
  assertEquals([await shop.holder(), await read()], ["channel_agent", null]);
  // A message of before, which the channel delivers late, is answered by its present holder.
  await shop.write("W2", "messages", -40);
  assertEquals(await read(), null);
  await client.stack.admin`delete from messaging.outbox where kind = 'agent_reply'`;
  await shop.handOver("control_passed", {}, { timestamp: shop.at(-10) });
  assertEquals(await shop.countRequests(), 1);
  assert(await read() !== null);
});

Deno.test("a handover of another number, of nobody, or of an unknown type changes nothing", async () => {
  await using client = await createWebhookClient();
  const shop = await openShop(client);
  await shop.write("W1", "standby", -30);
  const recipient = { display_phone_number: "5511", phone_number_id: "999999" };
  for (
    const [type, changes] of [
      ["control_passed", { recipient }],
      ["control_passed", { sender: {} }],
      ["control_passed", { sender: undefined }],
      ["control_requested", {}],
    ] as const
  ) {
    const { status, body } = await shop.handOver(type, {}, changes);
    assertEquals([status, body.recorded ?? 0], [200, 0], JSON.stringify([type, changes]));
  }
  assertEquals(await shop.holder(), "other");
  // Ids may be JSON numbers; a person who hides the phone is known by the user id.
  await shop.handOver("control_passed", {}, {
    recipient: { phone_number_id: Number(shop.number) },
    sender: { phone_number: Number(phone) },
  });
  assertEquals(await shop.holder(), "us");
});

Deno.test("what a former holder tells beside a message is told with the change", async () => {
  await using client = await createWebhookClient();
  const shop = await openShop(client);
  await shop.write("W1", "standby", -30);
  const message = { ...cloudText("W2", "e agora?"), timestamp: String(shop.at(0)) };
  await client.cloud(
    shop.tenant,
    cloudPayload({
      ...{ contacts, messages: [message] },
      conversation_context: { type: "summary", summary: { text: "Já pagou." } },
    }),
  );
  assertEquals((await shop.changes())[1], ["other", "us", "message", "Já pagou."]);
});

Deno.test("of two merged conversations the last decision stands", async () => {
  await using client = await createWebhookClient();
  const shop = await openShop(client);
  await shop.write("W1", "standby", -30);
  const { post, request } = client.stack;
  const { body: other } = await post(shop.tenant, "/contacts-api/create", {
    phone: "5511944443333",
  });
  const { body } = await request(`/conversations-api/conversations?phone=${phone}`, {
    headers: { "x-client-token": shop.tenant.token },
  });
  await post(shop.tenant, "/contacts-api/merge", {
    contactId: body.items[0].contactId,
    intoContactId: other.contactId,
  });
  assertEquals(await shop.changes(), [
    ["us", "other", "standby"],
    ["us", "other", "merged"],
  ]);
});
