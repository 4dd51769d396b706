/** What provider-webhook reads, and when: nothing for a stranger, and only so much at the same time. */
import type { Hono } from "hono";
import { createProviderWebhookApp } from "../../../functions/provider-webhook/app.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { signBody } from "../../../supabase/local/simulator/whatsapp_cloud/webhook_signature.ts";
import { testVault } from "../../support/fixtures/tenant.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { waitUntil } from "../../support/wait_until.ts";
import {
  appSecret,
  cloudPayload,
  cloudText,
  createWebhookClient,
  type WebhookClient,
  webhookSecret,
} from "./webhook_client.ts";
import { callApp } from "../../support/stack/app_calls.ts";

const signature = `sha256=${"0".repeat(64)}`;
const mebibyte = 1024 * 1024;

/** A body that its sender holds back until it may end. */
class HeldBody {
  isRead = false;
  readonly #mayEnd = Promise.withResolvers<void>();
  readonly stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (!this.isRead) {
        this.isRead = true;
        controller.enqueue(new TextEncoder().encode("{"));
        return;
      }
      await this.#mayEnd.promise;
      controller.enqueue(new TextEncoder().encode("}"));
      controller.close();
    },
    cancel: () => this.end(),
  }, { highWaterMark: 0 });

  end(): void {
    this.#mayEnd.resolve();
  }
}

function post(
  app: Hono,
  path: string,
  { stream }: HeldBody,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return Promise.resolve(callApp(app, `/provider-webhook/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: stream,
  }));
}

/** The app with these limits, beside the client's own. */
function createLimitedApp(
  { stack }: WebhookClient,
  limits: Partial<Parameters<typeof createProviderWebhookApp>[1]>,
): Hono {
  const { storage, services: { registry, log } } = stack;
  const services = { database: stack.database, vault: testVault, registry, storage, log };
  return createProviderWebhookApp(services, {
    totalBytes: 32 * mebibyte,
    instanceBytes: 12 * mebibyte,
    unverifiedBytes: 16 * mebibyte,
    sourceBytes: 4 * mebibyte,
    waitMs: 30_000,
    bodyTimeoutMs: 30_000,
    ...limits,
  });
}

Deno.test("a body is not read without the secret, for an unknown instance or beside no signature", async () => {
  await using client = await createWebhookClient();
  const gateway = await client.createTenant();
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const calls: readonly (readonly [path: string, headers: Readonly<Record<string, string>>])[] = [
    [`zapi/${gateway.instanceId}/wrong`, {}],
    [`zapi/${crypto.randomUUID()}/${webhookSecret}`, {}],
    [`evolution/${gateway.instanceId}/${webhookSecret}`, {}],
    [`whatsapp_cloud/${crypto.randomUUID()}`, { "x-hub-signature-256": signature }],
    [`whatsapp_cloud/${official.instanceId}`, {}],
    [`whatsapp_cloud/${official.instanceId}`, { "x-hub-signature-256": signature.slice(0, -1) }],
  ];
  for (const [path, headers] of calls) {
    const body = new HeldBody();
    const response = await post(client.app, path, body, headers);
    await response.body?.cancel();
    assertEquals([path, response.status, body.isRead], [path, 401, false]);
  }
});

Deno.test("bodies of one instance wait unread for its share, and other instances do not wait", async () => {
  await using client = await createWebhookClient();
  const [busy, quiet] = [await client.createTenant(), await client.createTenant()];
  // A body of unknown length may have 3 MiB.
  const app = createLimitedApp(client, { totalBytes: 6 * mebibyte, instanceBytes: 3 * mebibyte });
  const pathOf = (instanceId: string): string => `zapi/${instanceId}/${webhookSecret}`;
  const [first, second, other] = [new HeldBody(), new HeldBody(), new HeldBody()];
  const answers = [
    post(app, pathOf(busy.instanceId), first),
    post(app, pathOf(busy.instanceId), second),
  ];
  await waitUntil(() => first.isRead || second.isRead, { what: "a body of the busy instance" });
  const [read, waiting] = first.isRead ? [first, second] : [second, first];
  const ofOther = post(app, pathOf(quiet.instanceId), other);
  await waitUntil(() => other.isRead, { what: "the other instance's body" });
  assert(!waiting.isRead);
  other.end();
  assertEquals((await ofOther).status, 200);
  assert(!waiting.isRead);
  read.end();
  await waitUntil(() => waiting.isRead, { what: "the body that waited" });
  waiting.end();
  for (const answer of answers) assertEquals((await answer).status, 200);
});

Deno.test("a small body of known length waits for no large ones", async () => {
  await using client = await createWebhookClient();
  const { instanceId } = await client.createTenant();
  const app = createLimitedApp(client, {
    totalBytes: 3 * mebibyte + 2,
    instanceBytes: 4 * mebibyte,
  });
  const large = new HeldBody();
  const answer = post(app, `zapi/${instanceId}/${webhookSecret}`, large);
  await waitUntil(() => large.isRead, { what: "the large body" });
  const small = new HeldBody();
  small.end();
  const headers = { "content-length": "2" };
  const { status } = await post(app, `zapi/${instanceId}/${webhookSecret}`, small, headers);
  assertEquals(status, 200);
  large.end();
  assertEquals((await answer).status, 200);
});

Deno.test("a body that finds no room in time is 503, and one that does not arrive in time 408", async () => {
  await using client = await createWebhookClient();
  const { instanceId } = await client.createTenant();
  const bodyTimeoutMs = 30_123;
  using timeouts = holdTimers(bodyTimeoutMs);
  const app = createLimitedApp(client, { totalBytes: 3 * mebibyte, waitMs: 1, bodyTimeoutMs });
  const path = `zapi/${instanceId}/${webhookSecret}`;
  const slow = new HeldBody();
  const answer = post(app, path, slow);
  await waitUntil(() => slow.isRead, { what: "the slow body" });
  const refused = await post(app, path, new HeldBody());
  assertEquals([refused.status, refused.headers.get("retry-after")], [503, "1"]);
  assertEquals((await refused.json()).error, "service_unavailable");
  timeouts.end();
  const late = await answer;
  assertEquals([late.status, (await late.json()).error], [408, "request_timeout"]);
  const next = new HeldBody();
  next.end();
  assertEquals((await post(app, path, next)).status, 200, "the late one's memory is free again");
});

Deno.test("bodies under false signatures, 3 MB announced, take no place from the provider's delivery", async () => {
  await using client = await createWebhookClient();
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const path = `whatsapp_cloud/${official.instanceId}`;
  // Nothing waits: what is refused for want of room is refused at once.
  const app = createLimitedApp(client, { waitMs: 0 });
  const strangers = Array.from({ length: 100 }, () => new HeldBody());
  const headers = { "content-length": String(3 * mebibyte), "x-hub-signature-256": signature };
  const answers = strangers.map((body) => post(app, path, body, headers));
  await waitUntil(() => strangers.filter(({ isRead }) => isRead).length >= 60, {
    what: "the strangers' bodies",
  });
  const delivery = new TextEncoder().encode(
    JSON.stringify(cloudPayload({ messages: [cloudText("IN1", "oi")] })),
  );
  const genuine = await callApp(app, `/provider-webhook/${path}`, {
    method: "POST",
    headers: {
      "content-length": String(delivery.length),
      "x-hub-signature-256": await signBody(delivery, appSecret),
    },
    body: delivery,
  });
  assertEquals([genuine.status, (await genuine.json()).recorded], [200, 1]);
  for (const stranger of strangers) stranger.end();
  const statuses = new Set<number>();
  for (const answer of answers) statuses.add((await answer).status);
  // Those that are whole are no delivery; the others made room.
  assertEquals([...statuses].sort(), [401, 503]);
});

Deno.test("a delivery in very many small parts is refused before most of it is read", async () => {
  await using client = await createWebhookClient();
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  let read = 0;
  const parts = function* (): Generator<Uint8Array> {
    for (; read < 32_000; read++) yield Uint8Array.of(0x20);
  };
  const response = await callApp(
    client.app,
    `/provider-webhook/whatsapp_cloud/${official.instanceId}`,
    {
      method: "POST",
      headers: { "x-hub-signature-256": signature },
      body: ReadableStream.from(parts()) as ReadableStream<Uint8Array<ArrayBuffer>>,
    },
  );
  assertEquals([response.status, (await response.json()).error], [413, "payload_too_large"]);
  assert(read <= 5_000, `${read} parts are read`);
});
