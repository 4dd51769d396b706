import { createProviderWebhookApp } from "../../../functions/provider-webhook/app.ts";
import { signPayload } from "../../../shared/providers/webhook_signature.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { testVault } from "../../support/tenant.ts";
import { waitUntil } from "../../support/wait_until.ts";
import {
  appSecret,
  cloudPayload,
  cloudText,
  createWebhookClient,
  evolutionMessage,
  phone,
  type WebhookClient,
  webhookSecret,
} from "./webhook_client.ts";

async function countEvents({ stack }: WebhookClient): Promise<number> {
  return (await stack.admin`select from public.provider_events`).length;
}

Deno.test("the same inbound event twenty times at once is one message of one contact", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  // First of a contact that nobody knows, then of a known one, then typed on the phone itself.
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
  assertEquals((await client.stack.admin`select from public.contacts`).length, 1);
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

Deno.test("a wrong secret or signature is 401, and nothing of the delivery is stored", async () => {
  await using client = await createWebhookClient();
  const gateway = await client.createTenant();
  const evolution = await client.createTenant({ provider: "evolution" });
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const body = JSON.stringify({ type: "ReceivedCallback", messageId: "X", phone });
  for (
    const path of [
      `zapi/${gateway.instanceId}/wrong`,
      `zapi/${evolution.instanceId}/${webhookSecret}`,
      `evolution/${evolution.instanceId}/wrong`,
      `evolution/${evolution.instanceId}/${webhookSecret}x/messages-upsert`,
      `zapi/${crypto.randomUUID()}/${webhookSecret}`,
      `zapi/%00/wrong`,
      `zapi/${"x".repeat(300)}/wrong`,
    ]
  ) {
    const { status, body: answer } = await client.deliver(path, body);
    assertEquals([path, status, answer.error], [path, 401, "invalid_webhook_secret"]);
  }
  const bytes = new TextEncoder().encode(body);
  const right = await signPayload(bytes, appSecret);
  const path = `whatsapp_cloud/${official.instanceId}`;
  for (
    const signature of [
      await signPayload(bytes, "another app secret"),
      await signPayload(bytes.slice(1), appSecret),
      right.slice(0, -1),
      right.replace("sha256=", "sha1="),
      "",
      undefined,
    ]
  ) {
    const headers: Record<string, string> = signature === undefined
      ? {}
      : { "x-hub-signature-256": signature };
    const { status, body: answer } = await client.deliver(path, body, headers);
    assertEquals([signature, status, answer.error], [signature, 401, "invalid_webhook_signature"]);
  }
  assertEquals(await countEvents(client), 0);
  assertEquals((await client.deliver(path, body, { "x-hub-signature-256": right })).status, 200);
});

Deno.test("the signature is over the bytes as sent, however they escape and space the text", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const text = JSON.stringify(cloudPayload({ messages: [cloudText("IN1", "Olá / ação")] }), null, 2)
    .replaceAll(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    )
    .replaceAll("/", "\\/");
  const delivered = await client.cloud(tenant, text);
  assertEquals([delivered.status, delivered.body.recorded], [200, 1]);
  assertEquals((await client.messages(tenant))[0]?.["message"], "Olá / ação");
});

Deno.test("the verification GET answers the challenge to who knows the verify token", async () => {
  await using client = await createWebhookClient();
  const { instanceId } = await client.createTenant({ provider: "whatsapp_cloud" });
  const verify = async (query: Record<string, string>): Promise<[number, string]> => {
    const search = new URLSearchParams(query);
    const response = await client.app.request(
      `/provider-webhook/whatsapp_cloud/${instanceId}?${search}`,
    );
    return [response.status, await response.text()];
  };
  const right = {
    "hub.mode": "subscribe",
    "hub.verify_token": webhookSecret,
    "hub.challenge": "1158201444",
  };
  assertEquals(await verify(right), [200, "1158201444"]);
  for (
    const wrong of [
      { ...right, "hub.verify_token": "other" },
      { ...right, "hub.verify_token": "" },
      { ...right, "hub.mode": "unsubscribe" },
      { "hub.challenge": "1158201444" },
    ]
  ) {
    const [status, text] = await verify(wrong);
    assertEquals([status, JSON.parse(text).error], [401, "invalid_webhook_secret"]);
  }
});

Deno.test("a delivery costs one call of the database once its instance is known", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await client.receive(tenant, { messageId: "IN1", text: { message: "oi" } });
  client.rpcNames.length = 0;
  await client.receive(tenant, { messageId: "IN2", text: { message: "oi" } });
  assertEquals(client.rpcNames, ["record_provider_events"]);
});

Deno.test("a flood of wrong secrets is refused without asking the database each time", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const flood = async (path: (n: number) => string): Promise<void> => {
    for (let n = 0; n < 50; n++) assertEquals((await client.deliver(path(n), "{}")).status, 401);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => client.deliver(path(n), "{}")),
    );
    assert(answers.every(({ status }) => status === 401));
  };
  const unknown = crypto.randomUUID();
  const startedAt = performance.now();
  await flood((n) => `zapi/${tenant.instanceId}/wrong-${n}`);
  await flood((n) => `zapi/${unknown}/wrong-${n}`);
  // Each of the two is looked up at the first call, and again every other second at most.
  const allowed = 2 * (1 + Math.ceil((performance.now() - startedAt) / 2_000));
  assert(client.rpcNames.length <= allowed, `${client.rpcNames.length} calls, ${allowed} allowed`);
});

Deno.test("a rotated secret and a new instance are known within seconds, under a flood too", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await client.receive(tenant, { messageId: "IN1", text: { message: "oi" } });
  const newInstanceId = crypto.randomUUID();
  const refused = await client.deliver(`zapi/${newInstanceId}/${webhookSecret}`, "{}");
  assertEquals(refused.status, 401);

  await client.createTenant({ instanceId: newInstanceId });
  const config = { gatewayInstanceId: "g", token: "t", webhookSecret: "rotated-secret" };
  const sealed = await testVault.seal(config, tenant.instanceId);
  await client.stack.admin`
    update public.instances set sealed_provider_config = ${sealed} where id = ${tenant.instanceId}`;
  for (const path of [`${tenant.instanceId}/rotated-secret`, `${newInstanceId}/${webhookSecret}`]) {
    await waitUntil(async () => {
      await client.deliver(`zapi/${path}-wrong`, "{}");
      return (await client.deliver(`zapi/${path}`, "{}")).status === 200;
    }, { timeoutMs: 30_000, what: "the new credential" });
  }
  const old = await client.deliver(`zapi/${tenant.instanceId}/${webhookSecret}`, "{}");
  assertEquals(old.status, 401);
});

Deno.test("a database that was away for a look-up is asked again at the next delivery", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  let isAway = true;
  const app = createProviderWebhookApp({
    vault: testVault,
    log: client.stack.services.log,
    database: {
      rpc: (name, request) =>
        isAway ? Promise.reject(new Error("away")) : client.stack.database.rpc(name, request),
      close: () => Promise.resolve(),
    },
  });
  const deliver = async (): Promise<number> => {
    const path = `/provider-webhook/zapi/${tenant.instanceId}/${webhookSecret}`;
    const headers = { "content-type": "application/json" };
    const response = await app.request(path, { method: "POST", headers, body: "{}" });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await deliver(), 500);
  isAway = false;
  assertEquals(await deliver(), 200);
});

Deno.test("what nobody understands is kept as a provider event and answered 200", async () => {
  await using client = await createWebhookClient();
  const gateway = await client.createTenant();
  const evolution = await client.createTenant({ provider: "evolution" });
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const unknown = { type: "DisconnectedCallback", error: "gone", novelty: { deep: [1, null] } };
  const answers = [
    await client.zapi(gateway, unknown),
    await client.evolution(evolution, { event: "qrcode.updated", data: { qrcode: "x" } }),
    await client.cloud(official, {
      object: "whatsapp_business_account",
      entry: [{ changes: [{ field: "account_update", value: { event: "DISABLED_UPDATE" } }] }],
    }),
  ];
  assertEquals(answers.map(({ status, body }) => [status, body.recorded]), Array(3).fill([200, 0]));
  const [kept] = await client.stack.admin`
    select payload from public.provider_events where instance_id = ${gateway.instanceId}`;
  assertEquals(JSON.parse(kept?.["payload"]), unknown);
  assertEquals(await countEvents(client), 3);
});

Deno.test("truncated, wrongly typed, deeply nested and oversized bodies are never a 500", async () => {
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
