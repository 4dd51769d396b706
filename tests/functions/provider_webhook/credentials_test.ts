import { createProviderWebhookApp } from "../../../functions/provider-webhook/app.ts";
import { signBody } from "../../../supabase/local/simulator/whatsapp_cloud/webhook_signature.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { testVault } from "../../support/fixtures/tenant.ts";
import { waitUntil } from "../../support/wait_until.ts";
import {
  appSecret,
  cloudPayload,
  cloudText,
  createWebhookClient,
  phone,
  type WebhookClient,
  webhookSecret,
} from "./webhook_client.ts";
import { callApp } from "../../support/stack/app_calls.ts";

async function countEvents({ stack }: WebhookClient): Promise<number> {
  return (await stack.admin`select from messaging.provider_events`).length;
}

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
  const right = await signBody(bytes, appSecret);
  const path = `whatsapp_cloud/${official.instanceId}`;
  for (
    const signature of [
      await signBody(bytes, "another app secret"),
      await signBody(bytes.slice(1), appSecret),
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

Deno.test("the verification GET answers the challenge only with the verify token", async () => {
  await using client = await createWebhookClient();
  const { instanceId } = await client.createTenant({ provider: "whatsapp_cloud" });
  const verify = async (query: Record<string, string>): Promise<[number, string]> => {
    const search = new URLSearchParams(query);
    const response = await callApp(
      client.app,
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
  // Each of the two is looked up at the first call, and then at most every two seconds.
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
    update messaging.instances set sealed_provider_config = ${sealed} where id = ${tenant.instanceId}`;
  for (const path of [`${tenant.instanceId}/rotated-secret`, `${newInstanceId}/${webhookSecret}`]) {
    await waitUntil(async () => {
      await client.deliver(`zapi/${path}-wrong`, "{}");
      return (await client.deliver(`zapi/${path}`, "{}")).status === 200;
    }, { what: "the new credential" });
  }
  const old = await client.deliver(`zapi/${tenant.instanceId}/${webhookSecret}`, "{}");
  assertEquals(old.status, 401);
});

Deno.test("from its replacement on a credential opens nothing, though it was right a moment ago", async () => {
  await using client = await createWebhookClient();
  const gateway = await client.createTenant();
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const event = { messageId: "IN1", text: { message: "oi" } };
  const payload = cloudPayload({ messages: [cloudText("IN1", "oi")] });
  assertEquals((await client.receive(gateway, event)).status, 200);
  assertEquals((await client.cloud(official, payload)).status, 200);
  const replacements = [
    [gateway, { gatewayInstanceId: "g", token: "t", webhookSecret: "another-secret" }],
    [official, { phoneNumberId: "1", accessToken: "a", appSecret: "b", verifyToken: "c" }],
  ] as const;
  for (const [{ instanceId }, config] of replacements) {
    const sealed = await testVault.seal(config, instanceId);
    await client.stack.admin`
      update messaging.instances set sealed_provider_config = ${sealed} where id = ${instanceId}`;
  }
  const before = await countEvents(client);
  assertEquals((await client.receive(gateway, { ...event, messageId: "IN2" })).status, 401);
  assertEquals((await client.cloud(official, payload)).status, 401);
  assertEquals(await countEvents(client), before);
  const path = `zapi/${gateway.instanceId}/another-secret`;
  assertEquals((await client.deliver(path, "{}")).status, 200);
});

Deno.test("a database that was away for a look-up is asked again at the next delivery", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  let isAway = true;
  const app = createProviderWebhookApp({
    vault: testVault,
    registry: client.stack.services.registry,
    log: client.stack.services.log,
    storage: client.stack.storage,
    database: {
      rpc: (name, request) =>
        isAway ? Promise.reject(new Error("away")) : client.stack.database.rpc(name, request),
      close: () => Promise.resolve(),
    },
  });
  const deliver = async (): Promise<number> => {
    const path = `/provider-webhook/zapi/${tenant.instanceId}/${webhookSecret}`;
    const headers = { "content-type": "application/json" };
    const response = await callApp(app, path, { method: "POST", headers, body: "{}" });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await deliver(), 500);
  isAway = false;
  assertEquals(await deliver(), 200);
});
