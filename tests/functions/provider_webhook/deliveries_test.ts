import { assertEquals } from "../../support/assert.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  evolutionMessage,
  phone,
} from "./webhook_client.ts";

Deno.test("the same inbound event twenty times at once is one message of one contact", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  // From an unknown contact, then from a known one, then typed on the phone itself.
  const events = [{ messageId: "IN1" }, { messageId: "IN2" }, { messageId: "OUT1", fromMe: true }];
  for (const [index, event] of events.entries()) {
    const deliveries = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        client.receive(tenant, {
          ...event,
          phone: n % 2 === 0 ? "5511977776666" : "551177776666",
          text: { message: "oi" },
        })),
    );
    assertEquals(deliveries.map(({ status }) => status), Array(20).fill(200));
    assertEquals(deliveries.reduce((sum, { body }) => sum + body.recorded, 0), 1);
    assertEquals((await client.messages(tenant)).length, index + 1);
  }
  assertEquals((await client.stack.admin`select from messaging.contacts`).length, 1);
});

Deno.test("different first messages of an unknown contact at once are all recorded", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  for (let round = 0; round < 15; round++) {
    const sender = `55119${60000000 + round}`;
    const deliveries = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        client.receive(tenant, {
          phone: sender,
          messageId: `${sender}-${n}`,
          text: { message: "oi" },
        })),
    );
    assertEquals(deliveries.map(({ status }) => status), Array(8).fill(200), `round ${round}`);
  }
  assertEquals((await client.messages(tenant)).length, 120);
  assertEquals((await client.stack.admin`select from messaging.contacts`).length, 15);
});

Deno.test("messages of one delivery stand in its order, though they bear the same second", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const words = Array.from({ length: 12 }, (_, n) => `palavra ${n}`);
  const messages = words.map((word, n) => cloudText(`wamid.${n}`, word));
  await client.cloud(tenant, cloudPayload({ messages }));
  const { body } = await client.history(tenant);
  assertEquals(body.conversation.map(({ content }: { content: string }) => content), words);
  const last = await client.history(tenant, { limit: "3" });
  const newest = last.body.conversation.map(({ content }: { content: string }) => content);
  assertEquals(newest, words.slice(-3));
});

Deno.test("a delivery of thousands of messages is recorded, each in its order, and its payload stored once", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const messages = Array.from(
    { length: 2_000 },
    (_, n) => cloudText(`wamid.${n}`, "oi", { from: `55119${70000000 + n % 50}` }),
  );
  const { status, body } = await client.cloud(tenant, cloudPayload({ messages }));
  assertEquals([status, body.recorded], [200, 2_000]);
  const recorded = (await client.messages(tenant)).map((message) => message.provider_message_id);
  assertEquals(recorded, messages.map(({ id }) => id));
  const payloads = await client.stack.admin`select id from messaging.provider_events`;
  assertEquals(payloads.length, 1);
  // A database that is a hundred times as slow still records each part within the 8 s of a call.
  const parts = client.rpcNames.filter((name) => name === "record_provider_events");
  assertEquals(parts.length, 40);
});

Deno.test("payloads about the same contacts in opposite orders at once are all recorded", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const phones = Array.from({ length: 12 }, (_, n) => `55119${70000000 + n}`);
  const deliveries = await Promise.all(
    Array.from({ length: 10 }, (_, n) => {
      const order = n % 2 === 0 ? phones : phones.toReversed();
      const messages = order.map((from) => cloudText(`${n}-${from}`, "oi", { from }));
      return client.cloud(tenant, cloudPayload({ messages }));
    }),
  );
  assertEquals(deliveries.map(({ status }) => status), Array(10).fill(200));
  assertEquals((await client.messages(tenant)).length, 120);
});

Deno.test("payloads about the same contacts in both spellings, crosswise, are all recorded", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  // The two numbers sort differently with and without the ninth digit.
  const spellings = [["5511988887777", "551199998888"], ["551188887777", "5511999998888"]];
  const deliveries = await Promise.all(
    Array.from({ length: 40 }, (_, n) => {
      const messages = spellings[n % 2]?.map((from) => cloudText(`${n}-${from}`, "oi", { from }));
      return client.cloud(tenant, cloudPayload({ messages }));
    }),
  );
  assertEquals(deliveries.map(({ status }) => status), Array(40).fill(200));
  assertEquals((await client.messages(tenant)).length, 80);
  assertEquals((await client.stack.admin`select from messaging.contacts`).length, 2);
});

Deno.test("a contact shown by a hidden identity alone and with a phone at the same moment is one contact", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const people = Array.from({ length: 30 }, (_, n) => ({
    phone: `55119${40000000 + n}`,
    lid: `7${String(n).padStart(3, "0")}6604192873@lid`,
  }));
  const deliveries = await Promise.all(
    people.flatMap(({ phone: number, lid }) => [
      client.receive(tenant, { messageId: `${lid}1`, phone: lid, text: { message: "oi" } }),
      client.receive(tenant, {
        ...{ messageId: `${lid}2`, phone: number, senderLid: lid },
        text: { message: "oi" },
      }),
    ]),
  );
  assertEquals(deliveries.filter(({ status }) => status !== 200), []);
  assertEquals((await client.stack.admin`select from messaging.contacts`).length, people.length);
});

Deno.test("every entry, change, message and status of a payload counts, and a bad one costs no other", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const sent = await client.stack.send(tenant, { phone, messageType: "text", message: "oi" });
  const id = sent.body.providerMessageId;
  const timestamp = "1749416383";
  const message = (key: string): unknown => cloudText(key, key);
  const delivered = await client.cloud(tenant, {
    object: "whatsapp_business_account",
    entry: [
      {
        changes: [
          { field: "messages", value: { messages: [message("A"), null, 7, message("B")] } },
          { field: "messages", value: "not an object" },
          { field: "messages", value: { messages: [{ id: "C", type: "text" }, message("D")] } },
        ],
      },
      "not an entry",
      {
        changes: [{
          field: "messages",
          value: {
            messages: [message("E"), { ...cloudText("F", "x"), timestamp: "not a time" }],
            statuses: [
              { id, status: "levitated", timestamp },
              { status: "read" },
              { id, status: "delivered", timestamp },
              { id: "wamid.unknown", status: "failed", timestamp, errors: "none" },
            ],
          },
        }],
      },
    ],
  });
  assertEquals([delivered.status, delivered.body.recorded], [200, 6]);
  const stored = await client.messages(tenant);
  const inbound = stored.filter((row) => row["direction"] === "inbound");
  assertEquals(inbound.map((row) => row["provider_message_id"]).sort(), ["A", "B", "D", "E", "F"]);
  assertEquals(stored.find((row) => row["direction"] === "outbound")?.["status"], "delivered");
});

Deno.test("events of another number of the same account are kept, and change nothing here", async () => {
  await using client = await createWebhookClient();
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const evolution = await client.createTenant({ provider: "evolution" });
  const foreign = { metadata: { phone_number_id: "another" }, messages: [cloudText("IN1", "oi")] };
  const own = {
    metadata: { phone_number_id: official.gatewayInstanceId },
    messages: [cloudText("IN2", "oi")],
  };
  const answer = await client.cloud(official, cloudPayload(foreign, own));
  assertEquals([answer.status, answer.body.recorded], [200, 1]);
  const other = await client.evolution(evolution, {
    ...evolutionMessage({ conversation: "oi" }),
    instance: "another",
  });
  assertEquals([other.status, other.body.recorded], [200, 0]);
});
