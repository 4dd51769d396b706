/** Every type of event is written by some path of the product, with the data that its schema promises. */

import {
  endTurns,
  runQuestions,
  tellIdleConversations,
} from "../../../shared/messages/maintenance.ts";
import { type EventType, eventTypes } from "../../../shared/model/event_types.ts";
import { eventDescriptions } from "../../../shared/events/event_data.ts";
import { assertEquals } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { acceptMessage, answerUnknown } from "../../support/doubles/http_double.ts";
import { createOperator, type Tenant } from "../../support/fixtures/tenant.ts";
import { secretKey } from "../../support/stack/messaging_stack.ts";
import { createEveryApp } from "../contract/every_app.ts";
import {
  cloudPayload,
  createWebhookClient,
  phone,
  type WebhookClient,
} from "../provider_webhook/webhook_client.ts";
import { startReceiver } from "../webhooks/webhook_client.ts";
import { callApp } from "../../support/stack/app_calls.ts";

type Members = Readonly<Record<string, unknown>>;

interface FeedEvent {
  readonly type: EventType;
  readonly data: Members;
}

Deno.test("each type of event is written by a path of the product, and its data fit its schema", async () => {
  await using client = await createWebhookClient();
  const zapi = await client.createTenant();
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const call = await createCaller(client);
  await changeContact(client, call, zapi);
  await sendMessages(client, call, zapi);
  await receiveMessages(client, zapi);
  await giveUpAnswer(client, zapi);
  await decideOnTemplate(client, official);
  await loseConnection(client, zapi);
  await useConnectionLink(client, zapi);
  await changeNumber(client, official);
  await changeUserId(client, official);
  await handOver(client, official);
  await runBatch(client, call, official);
  await spendBudget(client, official);
  await askQuestions(client, call, zapi);
  await requestPayment(call, zapi);
  await fallSilent(client, zapi);
  await endTurn(client, zapi);
  await testEndpoint(client, call, zapi);

  const events = [...await readFeed(call, zapi), ...await readFeed(call, official)];
  for (const { type, data } of events) {
    const { error } = eventDescriptions[type].data.strict().safeParse(data);
    assertEquals(error?.issues ?? [], [], type);
  }
  const written = new Set(events.map(({ type }) => type));
  assertEquals(eventTypes.filter((type) => written.has(type)), [...eventTypes]);
});

/** One question is answered, one expires, one is canceled. */
async function askQuestions(client: WebhookClient, call: Call, tenant: Tenant): Promise<void> {
  const ask = (phone: string): Promise<{ questionId: string }> =>
    call(tenant, "send-message", {
      ...{ phone, messageType: "text", message: "Qual é o seu e-mail?" },
      ask: { answerWithin: "PT1H" },
    });
  await ask(phone);
  await client.receive(tenant, { messageId: "ANSWER", text: { message: "ana@example.com" } });
  const { questionId } = await ask("5511912345603");
  await call(tenant, `messages-api/questions/${questionId}`, undefined, "DELETE");
  await ask("5511912345604");
  await letTimePass(client.stack.admin, 3_660);
  await runQuestions(client.stack.database);
}

/** A payment is asked for, and canceled. */
async function requestPayment(call: Call, tenant: Tenant): Promise<void> {
  await call(tenant, "send-message", {
    ...{ phone, messageType: "payment_request", message: "Pedido 812" },
    payment: { reference: "ped-812", amount: "10.00", link: "https://pay.example.com/812" },
  });
  await call(tenant, "messages-api/payments/ped-812", { status: "canceled" });
}

/** A conversation waits for longer than the instance's `idle`. */
async function fallSilent(client: WebhookClient, tenant: Tenant): Promise<void> {
  const { stack } = client;
  const { instanceId } = tenant;
  const idle = [{ afterMinutes: 5, awaiting: "us" }];
  await callFunction(stack.admin, "update_instance", { instanceId, changes: { idle } });
  await client.receive(tenant, { messageId: "SILENT", text: { message: "oi" } });
  await stack.admin`
    update messaging.idle_watches
    set since = since - interval '1 hour', due_at = due_at - interval '1 hour'`;
  await tellIdleConversations(stack.database);
}

/** A person wrote, and was quiet for longer than the instance's `turns`. */
async function endTurn(client: WebhookClient, tenant: Tenant): Promise<void> {
  const { stack } = client;
  const { instanceId } = tenant;
  const turns = { quietSeconds: 2, maxSeconds: 5 };
  await callFunction(stack.admin, "update_instance", { instanceId, changes: { turns } });
  await client.receive(tenant, { messageId: "TURN", text: { message: "oi" } });
  await letTimePass(stack.admin, 6);
  await endTurns(stack.database, () => false);
}

/** A phone is connected by a link. */
async function useConnectionLink(
  { stack }: WebhookClient,
  { instanceId }: Tenant,
): Promise<void> {
  const [link] = await stack.admin<{ id: string }[]>`
    insert into messaging.connection_links (instance_id, token_hash, language, expires_at)
    values (${instanceId}, ${"0".repeat(64)}, 'pt', now() + interval '1 hour')
    returning id`;
  await callFunction(stack.admin, "use_connection_link", { linkId: link?.id });
}

/** A budget of nothing, in a workspace with rates. */
async function spendBudget({ stack }: WebhookClient, tenant: Tenant): Promise<void> {
  const { workspaceId, instanceId } = tenant;
  await callFunction(stack.admin, "replace_rates", {
    ...{ workspaceId, currency: "USD", dryRun: false, markets: [], rates: [] },
  });
  const budget = { monthlyAmount: "0", warnAtPercent: 80, stops: [] };
  await callFunction(stack.admin, "update_instance", { instanceId, changes: { budget } });
}

/** A batch that pauses at its template's error, and is resumed. */
async function runBatch({ stack }: WebhookClient, call: Call, tenant: Tenant): Promise<void> {
  const message = { messageType: "text", message: "Olá" };
  const recipients = [{ phone: "5511912345601" }, { phone: "5511912345602" }];
  const { batchId } = await call(tenant, "batches-api/batches", { message, recipients });
  const error = { code: 132001, message: "(#132001) Template does not exist" };
  stack.provider.answer = () => Response.json({ error }, { status: 404 });
  await call(tenant, `batches-api/batches/${batchId}/start`, {});
  await stack.dispatch();
  stack.provider.answer = acceptMessage;
  await call(tenant, `batches-api/batches/${batchId}/resume`, {});
  await letTimePass(stack.admin, 31);
  await stack.dispatch();
}

async function changeUserId(client: WebhookClient, tenant: Tenant): Promise<void> {
  const change = { type: "user_changed_user_id", previous_user_id: "BR.1", user_id: "BR.2" };
  await client.cloud(
    tenant,
    cloudPayload({ messages: [{ id: "C", type: "system", system: change }] }),
  );
}

/** Another responder of the number holds the conversation. */
async function handOver(client: WebhookClient, tenant: Tenant): Promise<void> {
  const messages = [{ id: "STANDBY", from: phone, type: "text", text: { body: "oi" } }];
  const payload = JSON.parse(JSON.stringify(cloudPayload({ messages })));
  const [change] = payload.entry[0].changes;
  const { metadata, ...standby } = change.value;
  Object.assign(change, { field: "standby", value: { metadata, standby } });
  await client.cloud(tenant, payload);
}

type Call = (
  tenant: Tenant,
  path: string,
  body?: Members,
  method?: string,
  // deno-lint-ignore no-explicit-any -- whatever the service answers
) => Promise<any>;

/** Calls the functions by their public paths. */
async function createCaller({ stack }: WebhookClient): Promise<Call> {
  const apps = await createEveryApp(stack.services);
  return async (
    { token, instanceId },
    path,
    body,
    method = body === undefined ? "GET" : "POST",
  ) => {
    const slug = path.split("/")[0] ?? "";
    const init = {
      method,
      headers: {
        "content-type": "application/json",
        ...(slug === "admin-api" ? { apikey: secretKey } : { "x-client-token": token }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify({ instanceId, ...body }) }),
    };
    // Receivers of tests have private addresses, which only this app of the stack takes.
    const response = slug === "events-api"
      ? await stack.request(`/${path}`, init)
      : await readJson(await callApp(apps.get(slug), `/${path}`, init));
    return response.body;
  };
}

async function readJson(response: Response): Promise<{ readonly body: unknown }> {
  return { body: await response.json() };
}

async function changeContact({ stack }: WebhookClient, call: Call, tenant: Tenant): Promise<void> {
  const operatorId = await createOperator(stack.admin, tenant.workspaceId, {
    ...{ name: "Ana", email: "ana@example.com" },
  });
  const target = { phone: "5511912345678" };
  await call(tenant, "contacts-api/create", { ...target, name: "João" });
  await call(tenant, "contacts-api/update", { ...target, name: "José" });
  await call(tenant, "contacts-api/consent", { ...target, marketing: "granted" });
  await call(tenant, "conversations-api/assign", { ...target, assignTo: operatorId });
  await call(tenant, "conversations-api/status", { ...target, status: "closed" });
  await call(tenant, "conversations-api/agent-pause", { ...target, paused: true });
  await call(tenant, "conversations-api/agent-pause", { ...target, paused: false });
  const { contactId } = await call(tenant, "contacts-api/create", { phone: "5511912345679" });
  await call(tenant, `contacts-api/contacts/${contactId}`, undefined, "DELETE");
}

async function sendMessages(client: WebhookClient, call: Call, tenant: Tenant): Promise<void> {
  const { provider } = client.stack;
  const send = (fields: Members = {}): Promise<{ messageId: string }> =>
    call(tenant, "send-message", { phone, messageType: "text", message: "Olá", ...fields });
  const { messageId } = await send();
  const { providerMessageId } = await call(tenant, `messages-api/messages/${messageId}`);
  for (const status of ["RECEIVED", "READ"]) {
    await client.zapi(tenant, {
      type: "MessageStatusCallback",
      status,
      ids: [providerMessageId],
      phone,
    });
  }
  provider.answer = () => Response.json({ error: "invalid" }, { status: 400 });
  await send();
  provider.answer = answerUnknown;
  await send();
  provider.answer = acceptMessage;
  const waiting = await send({ delayMessage: 600 });
  await call(tenant, `messages-api/messages/${waiting.messageId}`, undefined, "DELETE");
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  await send({ delayMessage: 30, expiresAt });
  await letTimePass(client.stack.admin, 61);
  await client.stack.dispatch();
  await call(tenant, "admin-api/queue/hold", { until: "2099-01-01T00:00:00Z", reason: "teste" });
  await call(tenant, "admin-api/queue/release", {});
}

/** One person writes, edits, deletes, and turns out to be two contacts. */
async function receiveMessages(client: WebhookClient, tenant: Tenant): Promise<void> {
  const hidden = "111111111111111@lid";
  const text = { message: "oi" };
  await client.receive(tenant, { messageId: "IN1", text });
  await client.receive(tenant, { messageId: "IN1", text: { message: "olá" }, isEdit: true });
  await client.receive(tenant, { messageId: "IN1", notification: "REVOKE" });
  await client.receive(tenant, { messageId: "IN2", text, phone: hidden });
  await client.receive(tenant, { messageId: "IN3", text, chatLid: hidden });
  const referencedMessage = { messageId: "IN1" };
  await client.receive(tenant, { messageId: "R1", reaction: { value: "👍", referencedMessage } });
}

/** A worker that gives an agent's answer up. */
async function giveUpAnswer({ stack }: WebhookClient, { instanceId }: Tenant): Promise<void> {
  const [row] = await stack.admin`
    insert into messaging.outbox (workspace_id, kind, payload, conversation_id, claim_token)
    select i.workspace_id, 'agent_reply', jsonb_build_object('instanceId', i.id), v.id,
      gen_random_uuid()
    from messaging.conversations v join messaging.instances i on i.id = v.instance_id
    where v.instance_id = ${instanceId} limit 1
    returning id, claim_token`;
  await callFunction(stack.admin, "settle_outbox", {
    ...{ outboxId: row?.["id"], claimToken: row?.["claim_token"] },
    ...{ outcome: "dead", error: "model_answer_filtered" },
  });
}

async function decideOnTemplate(client: WebhookClient, tenant: Tenant): Promise<void> {
  const { workspaceId, instanceId } = tenant;
  await callFunction(client.stack.testDatabase.sql, "create_message_template", {
    ...{ workspaceId, instanceId, name: "a", language: "en", parameterFormat: "NAMED" },
    ...{ components: [], providerStatus: "PENDING", providerTemplateId: "1", idempotency: null },
  });
  const template = { message_template_id: 1, message_template_name: "a" };
  await tellAccount(client, tenant, "message_template_status_update", {
    ...template,
    event: "APPROVED",
  });
  await tellAccount(client, tenant, "template_category_update", {
    ...template,
    new_category: "UTILITY",
    correct_category: "MARKETING",
  });
}

/** A notice of the business's account. */
async function tellAccount(
  { cloud }: WebhookClient,
  tenant: Tenant,
  field: string,
  value: Members,
): Promise<void> {
  const entry = [{ id: "1", changes: [{ field, value }] }];
  await cloud(tenant, { object: "whatsapp_business_account", entry });
}

async function loseConnection({ zapi }: WebhookClient, tenant: Tenant): Promise<void> {
  await zapi(tenant, { type: "DisconnectedCallback", disconnected: true, error: "gone" });
  await zapi(tenant, { type: "ConnectedCallback", connected: true });
}

async function changeNumber(client: WebhookClient, tenant: Tenant): Promise<void> {
  await tellAccount(client, tenant, "phone_number_quality_update", {
    event: "UPGRADE",
    current_limit: "TIER_2K",
    old_limit: "TIER_250",
  });
  await tellAccount(client, tenant, "business_username_updates", {
    username: "loja.nova",
    status: "approved",
  });
}

async function testEndpoint({ stack }: WebhookClient, call: Call, tenant: Tenant): Promise<void> {
  await using receiver = startReceiver();
  receiver.answer = () => new Response(null, { status: 410 });
  const { endpointId } = await call(tenant, "events-api/endpoints", { url: receiver.url });
  await call(tenant, `events-api/endpoints/${endpointId}/test`, {});
  await call(tenant, "contacts-api/create", { phone: "5511933334444" });
  await stack.dispatch();
}

async function readFeed(call: Call, tenant: Tenant): Promise<readonly FeedEvent[]> {
  const { items, hasMore } = await call(tenant, "events-api/events?after=oldest&limit=1000");
  assertEquals(hasMore, false);
  return items;
}
