import { assertEquals } from "../../support/assert.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  evolutionMessage,
  type WebhookClient,
  webhookSecret,
} from "./webhook_client.ts";

async function countEvents({ stack }: WebhookClient): Promise<number> {
  return (await stack.admin`select from messaging.provider_events`).length;
}

Deno.test("an unknown payload is kept as a provider event and answered 200", async () => {
  await using client = await createWebhookClient();
  const gateway = await client.createTenant();
  const evolution = await client.createTenant({ provider: "evolution" });
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const unknown = { type: "NoveltyCallback", error: "gone", novelty: { deep: [1, null] } };
  const answers = [
    await client.zapi(gateway, unknown),
    await client.evolution(evolution, { event: "qrcode.updated", data: { qrcode: "x" } }),
    await client.cloud(official, {
      object: "whatsapp_business_account",
      entry: [{ changes: [{ field: "novelty_update", value: { event: "NOVELTY" } }] }],
    }),
  ];
  assertEquals(answers.map(({ status, body }) => [status, body.recorded]), Array(3).fill([200, 0]));
  const [kept] = await client.stack.admin`
    select payload from messaging.provider_events where instance_id = ${gateway.instanceId}`;
  assertEquals(JSON.parse(kept?.["payload"]), unknown);
  assertEquals(await countEvents(client), 3);
});

Deno.test("truncated, wrongly typed and deeply nested bodies are never a 500", async () => {
  await using client = await createWebhookClient();
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const gateway = await client.createTenant();
  const evolution = await client.createTenant({ provider: "evolution" });
  const good = JSON.stringify(cloudPayload({ messages: [cloudText("IN1", "oi")] }));
  const deep = (depth: number): string =>
    `{"entry":${"[".repeat(depth)}${"]".repeat(depth)},"type":"ReceivedCallback"}`;
  const refused = [good.slice(0, -7), "", "[]", "null", "7", '"text"', "\u0000", "{", "{}}"];
  const harmless = [
    "{}",
    '{"entry":null}',
    '{"entry":{"changes":[]}}',
    '{"entry":[null,7,"x",{"changes":[null,{"field":"messages","value":[]}]}]}',
    '{"type":["ReceivedCallback"],"event":{},"data":[[[]]]}',
    '{"type":"ReceivedCallback","messageId":{"a":1},"phone":[],"text":"x","momment":"never"}',
    '{"event":"messages.upsert","data":{"key":"x","message":[1,2]}}',
    '{"__proto__":{"entry":[]},"constructor":null,"entry":[{"changes":"x"}]}',
    '{"a":"\\ud800 \\u0000"}',
    deep(500),
    deep(20_000),
  ];
  for (const body of [...refused, ...harmless]) {
    const expected = refused.includes(body) ? 400 : 200;
    const shown = body.slice(0, 80);
    const answers = [
      await client.cloud(official, body),
      await client.deliver(`zapi/${gateway.instanceId}/${webhookSecret}`, body),
      await client.deliver(`evolution/${evolution.instanceId}/${webhookSecret}`, body),
    ];
    for (const { status } of answers) assertEquals([shown, status], [shown, expected]);
  }
  assertEquals(await countEvents(client), 3 * harmless.length);
});

Deno.test("three megabytes are taken, more is 413 and nothing of it is stored", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const limit = 3 * 1024 * 1024;
  const payload = cloudPayload({ messages: [cloudText("IN1", "oi")] });
  const pad = (size: number): string => {
    const bare = JSON.stringify({ ...payload, padding: "" });
    return JSON.stringify({ ...payload, padding: "x".repeat(size - bare.length) });
  };
  const tooLarge = await client.cloud(tenant, pad(limit + 1));
  assertEquals([tooLarge.status, tooLarge.body.error], [413, "payload_too_large"]);
  assertEquals(await countEvents(client), 0);
  const taken = await client.cloud(tenant, pad(limit));
  assertEquals([taken.status, taken.body.recorded], [200, 1]);
});

Deno.test("a file inside a gateway's payload is left out, whatever its size, and its message recorded", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  // A video of 16 MB as base64, as "Webhook Base64" and the Cloud channel send it.
  const sizes = [1_000, 100_000, 4 * 1024 * 1024, 22 * 1024 * 1024];
  for (const [index, size] of sizes.entries()) {
    const base64 = "AbCd+/09".repeat(Math.ceil(size / 8)) + "==";
    const message = { videoMessage: { caption: `video ${index}` }, base64 };
    const { status, body } = await client.evolution(
      tenant,
      evolutionMessage(message, { id: `EVO${index}` }),
    );
    assertEquals([status, body.recorded], [200, 1], `${size} characters`);
  }
  const messages = await client.messages(tenant);
  assertEquals(messages.map((one) => one["message"]), sizes.map((_, index) => `video ${index}`));
  const kept = await client.stack.admin`select payload from messaging.provider_events`;
  for (const row of kept) assertEquals(row["payload"].includes("AbCd"), false);
  const tooLarge = await client.evolution(
    tenant,
    evolutionMessage({ videoMessage: {}, base64: "A".repeat(30 * 1024 * 1024) }),
  );
  assertEquals([tooLarge.status, tooLarge.body.error], [413, "payload_too_large"]);
  const long = "palavra ".repeat(8_000);
  await client.evolution(tenant, evolutionMessage({ conversation: long }, { id: "EVOTEXT" }));
  assertEquals((await client.messages(tenant)).at(-1)?.["message"], long);
});
