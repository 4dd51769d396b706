import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import { createProviderWebhookApp } from "../../../functions/provider-webhook/app.ts";
import { createAgentReplies } from "../../../shared/agents.ts";
import { createChatModel } from "../../../shared/chat_model.ts";
import { signPayload } from "../../../shared/providers/webhook_signature.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { type HttpDouble, startHttpDouble } from "../../support/http_double.ts";
import { type MessagingStack, startMessagingStack } from "../../support/messaging_stack.ts";
import { createAgent, type Tenant, testVault } from "../../support/tenant.ts";
import { letTimePass } from "../../support/time_travel.ts";

const webhookSecret = "hook-secret-value";
const phone = "5511977776666";

interface Delivered {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
  readonly body: any;
}

/** Delivers a webhook to the real app. */
async function deliver(
  stack: MessagingStack,
  path: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Delivered> {
  const { database, services: { log } } = stack;
  const app = createProviderWebhookApp({ database, vault: testVault, log });
  const response = await app.request(`/provider-webhook/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return { status: response.status, body: await response.json() };
}

function receive(stack: MessagingStack, tenant: Tenant, message: object): Promise<Delivered> {
  const payload = { type: "ReceivedCallback", phone, fromMe: false, isGroup: false, ...message };
  const path = `zapi/${tenant.instanceId}/${webhookSecret}`;
  return deliver(stack, path, JSON.stringify(payload));
}

/** A model that answers `text`. */
function startModel(text: string): HttpDouble {
  return startHttpDouble(() =>
    Response.json({
      id: "c1",
      object: "chat.completion",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }],
    })
  );
}

async function letAgentAnswer(stack: MessagingStack, model: HttpDouble): Promise<void> {
  const askModel = createChatModel({ baseUrl: model.baseUrl, apiKey: "sk-test" });
  await letTimePass(stack.admin, 4);
  await runDispatch({
    ...stack.services,
    deliverAgentReply: createAgentReplies(stack.database, askModel),
  }, { durationMs: 400, maxMessages: 100 });
  await stack.dispatch();
}

async function countMessages(stack: MessagingStack): Promise<number> {
  const [row] = await stack.admin<{ count: number }[]>`
    select count(*)::integer as count from public.messages`;
  return row?.count ?? 0;
}

Deno.test("the same inbound event twenty times at once is one message of one contact", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const deliveries = await Promise.all(
    Array.from(
      { length: 20 },
      (_, n) =>
        receive(stack, tenant, {
          messageId: "IN1",
          phone: n % 2 === 0 ? "5511977776666" : "551177776666",
          text: { message: "oi" },
        }),
    ),
  );
  assert(deliveries.every(({ status }) => status === 200));
  assertEquals(deliveries.reduce((sum, { body }) => sum + body.recorded, 0), 1);
  assertEquals(await countMessages(stack), 1);
});

Deno.test("a wrong secret or signature is 401, and nothing of the delivery is stored", async () => {
  await using stack = await startMessagingStack();
  const gateway = await stack.createTenant();
  const official = await stack.createTenant({ provider: "whatsapp_cloud" });
  const body = JSON.stringify({ type: "ReceivedCallback", messageId: "X", phone });
  const wrongSecret = await deliver(stack, `zapi/${gateway.instanceId}/wrong`, body);
  assertEquals([wrongSecret.status, wrongSecret.body.error], [401, "invalid_webhook_secret"]);
  const noInstance = await deliver(stack, "zapi/%00/wrong", body);
  assertEquals([noInstance.status, noInstance.body.error], [401, "invalid_webhook_secret"]);
  const signature = await signPayload(new TextEncoder().encode(body), "another app secret");
  const path = `whatsapp_cloud/${official.instanceId}`;
  const wrongSignature = await deliver(stack, path, body, { "x-hub-signature-256": signature });
  assertEquals(
    [wrongSignature.status, wrongSignature.body.error],
    [401, "invalid_webhook_signature"],
  );
  const events = await stack.admin`select from public.provider_events`;
  assertEquals(events.length, 0);
});

Deno.test("delivery events move a message forward only, even before its send was recorded", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const report = (status: string): Promise<Delivered> =>
    deliver(
      stack,
      `zapi/${tenant.instanceId}/${webhookSecret}`,
      JSON.stringify({ type: "MessageStatusCallback", status, ids: ["OUT1"], momment: Date.now() }),
    );
  stack.provider.answer = async () => {
    await report("READ");
    return Response.json({ zaapId: "Z", messageId: "OUT1", id: "OUT1" });
  };
  const sent = await stack.send(tenant, { phone, messageType: "text", message: "oi" });
  assertEquals([sent.status, sent.body.providerMessageId], [200, "OUT1"]);
  await report("RECEIVED");
  await report("SENT");
  const state = await stack.messages(tenant, "GET", `/messages/${sent.body.messageId}`);
  assertEquals(state.body.status, "read");
  assert(state.body.readAt !== null && state.body.sentAt !== null);
});

Deno.test("several messages get one answer of the agent, which a person's message silences", async () => {
  await using stack = await startMessagingStack();
  await using model = startModel("Posso ajudar?");
  const tenant = await stack.createTenant();
  await createAgent(stack.admin, tenant.instanceId);
  await receive(stack, tenant, { messageId: "IN1", text: { message: "{{segredo}} oi" } });
  await receive(stack, tenant, { messageId: "IN2", text: { message: "tudo bem?" } });
  await letAgentAnswer(stack, model);
  assertEquals(model.requests.length, 1);
  assertEquals(model.requests[0]?.json["messages"], [
    { role: "system", content: "Answer briefly." },
    { role: "user", content: "{{segredo}} oi" },
    { role: "user", content: "tudo bem?" },
  ]);
  assertEquals(stack.provider.requests.map(({ json }) => json["message"]), ["Posso ajudar?"]);

  await receive(stack, tenant, {
    messageId: "PHONE1",
    fromMe: true,
    fromApi: false,
    text: { message: "Deixa comigo" },
  });
  await receive(stack, tenant, { messageId: "IN3", text: { message: "obrigado" } });
  await letAgentAnswer(stack, model);
  assertEquals(model.requests.length, 1);
  assertEquals(await countMessages(stack), 5);
});

Deno.test("a pause that begins while the model thinks stops the answer", async () => {
  await using stack = await startMessagingStack();
  await using model = startModel("Tarde demais");
  const tenant = await stack.createTenant();
  await createAgent(stack.admin, tenant.instanceId);
  await receive(stack, tenant, { messageId: "IN1", text: { message: "oi" } });
  const answer = model.answer;
  model.answer = async (request) => {
    await stack.send(tenant, { phone, messageType: "text", message: "Sou uma pessoa" });
    return await answer(request);
  };
  await letAgentAnswer(stack, model);
  assertEquals(model.requests.length, 1);
  assertEquals(stack.provider.requests.map(({ json }) => json["message"]), ["Sou uma pessoa"]);
});
