import { assertEquals } from "../../support/assert.ts";
import type { DoubleRequest } from "../../support/doubles/http_double.ts";
import { startChatModel } from "../../support/doubles/outside_services.ts";
import {
  changeBatch,
  createBatch,
  readBatch,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import { createAgent, type Tenant } from "../../support/fixtures/tenant.ts";
import { waitUntil } from "../../support/wait_until.ts";
import type { Answer, MessagingStack } from "../../support/stack/messaging_stack.ts";
import { type Channel, createChannels } from "../provider_webhook/channels.ts";
import {
  createWebhookClient,
  phone,
  type WebhookClient,
} from "../provider_webhook/webhook_client.ts";

const jid = `${phone}@s.whatsapp.net`;

Deno.test("POST messages/:id/read marks the message and those before it as read on each channel, and the messages say when", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const [zapi, evolution, official] = await createChannels(client);
  for (const channel of [zapi, evolution, official]) {
    const { tenant } = channel!;
    const ids = await receiveTwo(client, channel!);
    stack.provider.requests.length = 0;
    stack.provider.answer = acceptAction;
    const answer = await read(stack, tenant, ids[1]!);
    assertEquals(answer.body, {
      ...{ success: true, messageId: ids[1], channel: "read", typing: null },
    });
    const bodies = stack.provider.requests.map(({ json }) => json);
    assertEquals(
      bodies,
      channel === zapi
        ? [{ phone, messageId: "IN1" }, { phone, messageId: "IN2" }]
        : channel === evolution
        ? [{
          readMessages: ["IN1", "IN2"].map((id) => ({ id, fromMe: false, remoteJid: jid })),
        }]
        : [{ messaging_product: "whatsapp", status: "read", message_id: "IN2" }],
    );
    for (const id of ids) {
      const { body } = await stack.messages(tenant, "GET", `/messages/${id}`);
      assertEquals([body.status, typeof body.readAt], ["received", "string"]);
    }
    // Asked for once more, the channel is told of that message alone.
    stack.provider.requests.length = 0;
    await read(stack, tenant, ids[1]!);
    assertEquals(stack.provider.requests.length, 1);
  }
});

Deno.test("of what the person wrote up to the named message the newest twenty are marked as read", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const [zapi] = await createChannels(client);
  const { tenant, arrive } = zapi!;
  for (let count = 1; count <= 23; count++) await arrive(`IN${count}`, "Oi");
  const [named] = await stack.admin`
    select id from messaging.messages where provider_message_id = 'IN22'`;
  stack.provider.answer = acceptAction;
  await read(stack, tenant, named?.["id"]);
  assertEquals(
    receiptsOf(stack, tenant),
    Array.from({ length: 20 }, (_, place) => `IN${place + 3}`),
  );
});

Deno.test("typing is shown where the channel can: with the receipt, by a call of its own, or not at all", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const expected = ["not_supported", "requested", "shown"];
  for (const [place, channel] of (await createChannels(client)).entries()) {
    const ids = await receiveTwo(client, channel);
    stack.provider.answer = acceptAction;
    stack.provider.requests.length = 0;
    const { body } = await read(stack, channel.tenant, ids[1]!, { typing: true });
    assertEquals([body.channel, body.typing], ["read", expected[place]]);
    await stack.finishBackground();
    const typing = stack.provider.requests.map(({ path, json }) => [
      path.split("/")[2],
      json["presence"] ?? json["typing_indicator"],
    ]).filter(([, shown]) => shown !== undefined);
    assertEquals(
      typing,
      [[], [["sendPresence", "composing"]], [["1234567890", {
        type: "text",
      }]]][place]?.map((one) => [typing[0]?.[0], one[1]]),
    );
  }
});

Deno.test("what the channel refuses is told in the answer, and the message stays unread", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const [, evolution] = await createChannels(client);
  const { tenant } = evolution!;
  const [, id] = await receiveTwo(client, evolution!);
  const cases: [() => Response, string, string | undefined][] = [
    [
      () => refuse(400, "Method not available on WhatsApp Business API"),
      "not_supported",
      undefined,
    ],
    [() => refuse(400, "Error: Connection Closed"), "refused", "http_400"],
    [() => new Response("<html>", { status: 500 }), "unknown", "outcome_unknown"],
  ];
  for (const [respond, channel, code] of cases) {
    stack.provider.answer = respond;
    const { status, body } = await read(stack, tenant, id!);
    assertEquals([status, body.channel, body.details?.code], [200, channel, code]);
  }
  const { body } = await stack.messages(tenant, "GET", `/messages/${id}`);
  assertEquals(body.readAt, null);
});

Deno.test("only a received message of the instance can be marked as read", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const [zapi, evolution] = await createChannels(client);
  const [id] = await receiveTwo(client, zapi!);
  const sent = await stack.send(zapi!.tenant, { phone, messageType: "text", message: "Oi" });
  stack.provider.requests.length = 0;
  const ours = await read(stack, zapi!.tenant, sent.body.messageId);
  assertEquals([ours.status, ours.body.error], [409, "message_not_readable"]);
  for (
    const [tenant, one] of [
      [zapi!.tenant, crypto.randomUUID()],
      [evolution!.tenant, id!],
    ] as const
  ) assertEquals((await read(stack, tenant, one)).status, 404);
  assertEquals((await read(stack, zapi!.tenant, id!, { typing: "yes" })).status, 400);
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("on_reply marks what the person wrote as read after an answer, immediate or queued, and no batch's", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  for (const queued of [false, true]) {
    const [zapi] = await createChannels(client);
    const { tenant } = zapi!;
    await setReceipts(stack, tenant, "on_reply");
    await receiveTwo(client, zapi!);
    await stack.dispatch();
    assertEquals(receiptsOf(stack, tenant), []);
    await stack.send(tenant, { phone, messageType: "text", message: "Oi", queued });
    await stack.finishBackground();
    await stack.dispatch();
    await stack.finishBackground();
    assertEquals(receiptsOf(stack, tenant), ["IN1", "IN2"]);
    // Nothing is left to mark.
    await stack.send(tenant, { phone, messageType: "text", message: "Oi", queued });
    await stack.dispatch();
    await stack.finishBackground();
    assertEquals(receiptsOf(stack, tenant).length, 2);
  }
});

Deno.test("a missed call is no message that can be marked as read: those before it are", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const [zapi, , official] = await createChannels(client);
  const acceptSend = stack.provider.answer;
  for (const channel of [zapi!, official!]) {
    const { tenant } = channel;
    stack.provider.answer = acceptSend;
    await receiveTwo(client, channel);
    const timestamp = `${Math.floor(Date.now() / 1_000) + 1}`;
    const call = { id: "C1", from: phone, timestamp, event: "terminate", status: "FAILED" };
    await (channel === zapi
      ? client.receive(tenant, { messageId: "C1", notification: "CALL_MISSED_VOICE", callId: "C1" })
      : client.cloud(tenant, {
        object: "whatsapp_business_account",
        entry: [{ id: "1", changes: [{ field: "calls", value: { calls: [call] } }] }],
      }));
    const stored = await client.messages(tenant);
    assertEquals(stored.map((one) => one["message_type"]), ["text", "text", "call"]);
    await setReceipts(stack, tenant, "on_reply");
    stack.provider.requests.length = 0;
    await stack.send(tenant, { phone, messageType: "text", message: "Oi" });
    await stack.finishBackground();
    const marked = stack.provider.requests.flatMap(({ path, json }) => [
      ...path.endsWith("/read-message") ? [json["messageId"]] : [],
      ...json["status"] === "read" ? [json["message_id"]] : [],
    ]);
    // Both were written in one second; the official channel is told of one.
    const texts = ["IN1", "IN2"].filter((id) => marked.includes(id));
    assertEquals([marked.length, texts.length], channel === zapi ? [2, 2] : [1, 1]);
    const marks = (await client.messages(tenant)).map((one) => one["read_at"] !== null);
    assertEquals(marks.slice(0, 3), [true, true, false]);
    stack.provider.answer = acceptAction;
    const { body } = await read(stack, tenant, String(stored[2]?.["id"]));
    const ids = stored.slice(0, 2).map((one) => one["id"]);
    assertEquals([ids.includes(body.messageId), body.channel], [true, "read"]);
  }
});

Deno.test("of a missed call with nothing before it no channel is told", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const [zapi] = await createChannels(client);
  const { tenant } = zapi!;
  await client.receive(tenant, {
    ...{ phone, messageId: "C1", notification: "CALL_MISSED_VOICE", callId: "C1" },
  });
  const [call] = await client.messages(tenant);
  assertEquals(call?.["message_type"], "call");
  stack.provider.requests.length = 0;
  const { status, body } = await read(stack, tenant, String(call?.["id"]));
  assertEquals([status, body.messageId, body.channel], [200, call?.["id"], "not_supported"]);
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("on_receive marks what arrives as read by the dispatcher, on both paths of recording, and off marks nothing", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  for (const [setting, expected] of [["on_receive", ["IN1", "IN2"]], ["off", []]] as const) {
    const [zapi] = await createChannels(client);
    const { tenant } = zapi!;
    await setReceipts(stack, tenant, setting);
    await receiveTwo(client, zapi!);
    stack.provider.answer = acceptAction;
    await stack.dispatch();
    // Two rows at once may both tell the first message.
    assertEquals([...new Set(receiptsOf(stack, tenant))].sort(), [...expected]);
    const [rows] = await stack.admin`
      select count(*)::integer as pending from messaging.outbox
      where kind = 'read_receipt' and settled_at is null`;
    assertEquals(rows?.["pending"], 0);
  }
});

Deno.test("the person sees that the agent is typing while it thinks, unless readReceipts is off, and a channel that hangs delays no answer", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  for (const setting of ["on_reply", "off"] as const) {
    for (const [place, { tenant, arrive }] of (await createChannels(client)).entries()) {
      await setReceipts(stack, tenant, setting);
      await createAgent(stack.admin, tenant.instanceId);
      await arrive("IN1", "Oi");
      const isShown = Promise.withResolvers<void>();
      const isAnswered = Promise.withResolvers<void>();
      const accept = stack.provider.answer;
      stack.provider.answer = async (request) => {
        if (!showsTyping(request)) return await accept(request);
        isShown.resolve();
        await isAnswered.promise;
        return Response.json({ success: true });
      };
      const expectsTyping = setting !== "off" && place > 0;
      await using model = startChatModel(async () => {
        if (expectsTyping) await isShown.promise;
        return undefined;
      });
      stack.provider.requests.length = 0;
      await client.letAgentAnswer(model);
      const sent = (await client.messages(tenant)).at(-1);
      assertEquals([sent?.["sent_by"], sent?.["status"]], ["ai_agent", "sent"]);
      isAnswered.resolve();
      await stack.finishBackground();
      stack.provider.answer = accept;
      const shown = stack.provider.requests.filter(showsTyping);
      assertEquals(shown.length, expectsTyping ? 1 : 0);
    }
  }
});

Deno.test("a receipt that the channel refuses delays no answer and fails no send", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const [zapi] = await createChannels(client);
  const { tenant } = zapi!;
  await setReceipts(stack, tenant, "on_reply");
  await receiveTwo(client, zapi!);
  const accept = stack.provider.answer;
  const isHeld = Promise.withResolvers<Response>();
  stack.provider.answer = (request) =>
    request.path.endsWith("/read-message") ? isHeld.promise : accept(request);
  const { status, body } = await stack.send(tenant, { phone, messageType: "text", message: "Oi" });
  assertEquals([status, body.status], [200, "sent"]);
  await waitUntil(() => receiptsOf(stack, tenant).length === 1);
  isHeld.resolve(new Response(null, { status: 400 }));
  await stack.finishBackground();
  const told = stack.logLines.filter(({ event }) => event === "read_receipt_refused");
  assertEquals(told.map(({ fields }) => fields["code"]), ["http_400"]);
});

/** Their ids, in their order. */
async function receiveTwo(client: WebhookClient, { tenant, arrive }: Channel): Promise<string[]> {
  await arrive("IN1", "Oi");
  await arrive("IN2", "Tudo bem?");
  const stored = await client.messages(tenant);
  return stored.map((message) => String(message["id"]));
}

/** What Z-API was told to mark, of this instance's chat. */
function receiptsOf({ provider }: MessagingStack, tenant: Tenant): unknown[] {
  const path = `/instances/${encodeURIComponent(tenant.gatewayInstanceId ?? "")}/`;
  return provider.requests
    .filter((request) => request.path.startsWith(path) && request.path.endsWith("/read-message"))
    .map(({ json }) => json["messageId"]);
}

function read(
  stack: MessagingStack,
  tenant: Tenant,
  id: string,
  body: unknown = undefined,
): Promise<Answer> {
  return stack.request(`/messages-api/messages/${id}/read`, {
    method: "POST",
    headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function setReceipts(
  { admin }: MessagingStack,
  { instanceId }: Tenant,
  mode: string,
): Promise<void> {
  await admin`update messaging.instances set read_receipts = ${mode} where id = ${instanceId}`;
}

function showsTyping({ json }: DoubleRequest): boolean {
  return json["presence"] === "composing" || json["typing_indicator"] !== undefined;
}

function acceptAction({ path }: DoubleRequest): Response {
  return path.endsWith("/messages") ? Response.json({ success: true }) : Response.json({});
}

function refuse(status: number, words: string): Response {
  return Response.json({ status, error: "Bad Request", response: { message: [words] } }, {
    status,
  });
}

Deno.test("a batch answers nobody: it marks nothing as read", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const [zapi] = await createChannels(client);
  const { tenant } = zapi!;
  await setReceipts(stack, tenant, "on_reply");
  await receiveTwo(client, zapi!);
  const batchId = await createBatch(stack, tenant, {
    message: { messageType: "text", message: "Oi" },
    recipients: [{ phone }],
  });
  await changeBatch(stack, tenant, batchId, "start");
  await runBatches(stack, 1);
  await stack.finishBackground();
  assertEquals((await readBatch(stack, tenant, batchId)).counts.sent, 1);
  assertEquals(receiptsOf(stack, tenant), []);
});
