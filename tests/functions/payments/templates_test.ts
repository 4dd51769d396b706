/** Templates with payment buttons: they ask as payment requests do, on each channel. */
import { createSendTemplateMessageApp } from "../../../functions/send-template-message/app.ts";
import { runPayments } from "../../../shared/messages/maintenance.ts";
import { assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import {
  callBatches,
  createBatch,
  phoneOf,
  readRecipients,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { callApp } from "../../support/stack/app_calls.ts";
import type { Answer } from "../../support/stack/messaging_stack.ts";
import { createWebhookClient, type WebhookClient } from "../provider_webhook/webhook_client.ts";
import {
  amountCode,
  countStored,
  listChanges,
  listSent,
  phone,
  pixPayment,
  post,
  requestPayment,
  say,
} from "./payment_client.ts";

type Json = Readonly<Record<string, unknown>>;

const orderButton = { type: "ORDER_DETAILS", text: "Copy Pix code" };
const pixButton = {
  ...{ type: "PAYMENT_REQUEST", text: "Copy Pix code" },
  payment_setting: { type: "pix_dynamic_code", pix_dynamic_code: { code: amountCode } },
};

/** A template of the tenant with the body `Pedido {{1}}.` and these buttons. @returns its id. */
async function createTemplate(
  client: WebhookClient,
  { workspaceId }: Tenant,
  { buttons = [orderButton], header }: { buttons?: readonly Json[]; header?: Json } = {},
): Promise<string> {
  const id = crypto.randomUUID();
  const components = [
    ...(header === undefined ? [] : [{ type: "HEADER", ...header }]),
    { type: "BODY", text: "Pedido {{1}}." },
    { type: "BUTTONS", buttons },
  ];
  await client.stack.admin`
    insert into messaging.message_templates (
      id, workspace_id, name, language, parameter_format, components, provider_status,
      provider_template_id, category
    ) values (
      ${id}, ${workspaceId}, ${`cobranca_${id}`}, 'pt_BR', 'POSITIONAL',
      ${client.stack.admin.json(components as never)}, 'APPROVED', ${crypto.randomUUID()}, 'UTILITY'
    )`;
  return id;
}

/** POST send-template-message. */
async function sendTemplate(
  client: WebhookClient,
  tenant: Tenant,
  templateId: string,
  payment: Json | undefined,
  { variables, ...members }: Json = {},
): Promise<Answer> {
  const app = createSendTemplateMessageApp(client.stack.services);
  const response = await callApp(app, "/send-template-message", {
    method: "POST",
    headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
    body: JSON.stringify({
      ...{ templateId, phone },
      variables: { "1": "812", payment, ...variables as Json },
      ...members,
    }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** A tenant, and its template with these buttons. */
async function prepare(
  client: WebhookClient,
  provider: "whatsapp_cloud" | "zapi",
  parts: Parameters<typeof createTemplate>[2] = {},
): Promise<{ tenant: Tenant; templateId: string }> {
  const tenant = await client.createTenant({ provider });
  return { tenant, templateId: await createTemplate(client, tenant, parts) };
}

const read = async (client: WebhookClient, tenant: Tenant, messageId: string): Promise<Json> =>
  (await client.stack.messages(tenant, "GET", `/messages/${messageId}`)).body;

Deno.test("outside the window a template asks for a payment, which is known as any other", async () => {
  await using client = await createWebhookClient();
  const { tenant, templateId } = await prepare(client, "whatsapp_cloud");
  const { status, body } = await sendTemplate(client, tenant, templateId, pixPayment);
  assertEquals(status, 200, JSON.stringify(body));
  assertEquals(body.payment, { reference: "PED-812", status: "pending", pixCode: amountCode });
  const sent = client.stack.provider.requests.at(-1)?.json as { template: { components: Json[] } };
  const [, button] = sent.template.components as [Json, { parameters: Json[] }];
  assertEquals({ ...button, parameters: [] }, {
    ...{ type: "button", sub_type: "order_details", index: 0, parameters: [] },
  });
  const { action } = button.parameters[0] as { action: { order_details: Json } };
  assertEquals(action.order_details["reference_id"], "PED-812");
  const record = await read(client, tenant, body.internalMessageId);
  const { reference, status: state, amount } = record["payment"] as Json;
  assertEquals([record["messageType"], reference, state, amount], [
    ...["template", "PED-812", "pending", "129.90"],
  ]);
  for (let run = 0; run < 2; run++) await client.stack.dispatch();
  assertEquals((await listSent(client, tenant)).length, 1, "the button copies the code");
  const listed = (await client.stack.messages(tenant, "GET", "/payments")).body.items;
  assertEquals(listed.map(({ messageId }: Json) => messageId), [body.internalMessageId]);
});

Deno.test("what is paid is told by the order where the template shows one, else by a text", async () => {
  await using client = await createWebhookClient();
  for (const [buttons, type] of [[[orderButton], "interactive"], [[pixButton], "text"]] as const) {
    const { tenant, templateId } = await prepare(client, "whatsapp_cloud", { buttons });
    await say(client, tenant, "oi");
    const { body } = await sendTemplate(client, tenant, templateId, pixPayment);
    const paid = await post(client, tenant, `/messages/${body.internalMessageId}/payment`, {
      ...{ status: "paid", tell: true },
    });
    assertEquals(paid.status, 200, JSON.stringify(paid.body));
    await client.stack.dispatch();
    const told = client.stack.provider.requests.at(-1)?.json as Json;
    assertEquals(told["type"], type);
    assertEquals((await listChanges(client, tenant)).map(({ status }) => status), ["paid"]);
    const record = await read(client, tenant, body.internalMessageId);
    assertEquals((record["payment"] as Json)["status"], "paid");
  }
});

Deno.test("a payment cancels what waits for it, and the template that waits itself", async () => {
  await using client = await createWebhookClient();
  const { tenant, templateId } = await prepare(client, "whatsapp_cloud");
  await say(client, tenant, "oi");
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const asked = await sendTemplate(client, tenant, templateId, pixPayment, { sendAt });
  const reminder = await client.stack.send(tenant, {
    ...{ phone, messageType: "text", message: "Ainda dá tempo", sendAt },
    ...{ cancelOn: ["payment"], paymentReference: "PED-812" },
  });
  assertEquals([asked.status, reminder.status], [200, 200]);
  await post(client, tenant, "/payments/PED-812", { status: "paid" });
  assertEquals((await listSent(client, tenant)).map(({ status }) => status), [
    ...["canceled", "canceled"],
  ]);
});

Deno.test("a template's payment expires by itself, and frees its reference", async () => {
  await using client = await createWebhookClient();
  const { tenant, templateId } = await prepare(client, "whatsapp_cloud");
  const expiresAt = new Date(Date.now() + 400_000).toISOString();
  const payment = { ...pixPayment, expiresAt };
  const { body } = await sendTemplate(client, tenant, templateId, payment);
  assertEquals((await sendTemplate(client, tenant, templateId, payment)).status, 409);
  await letTimePass(client.stack.admin, 500);
  await runPayments(client.stack.database);
  assertEquals((await listChanges(client, tenant)).map(({ status }) => status), ["expired"]);
  const record = await read(client, tenant, body.internalMessageId);
  assertEquals((record["payment"] as Json)["status"], "expired");
  assertEquals((await sendTemplate(client, tenant, templateId, pixPayment)).status, 200);
});

Deno.test("a reference names one open request, of a template as of a message", async () => {
  await using client = await createWebhookClient();
  const { tenant, templateId } = await prepare(client, "whatsapp_cloud");
  await say(client, tenant, "oi");
  assertEquals((await requestPayment(client, tenant)).status, 200);
  const taken = await sendTemplate(client, tenant, templateId, pixPayment);
  assertEquals([taken.status, taken.body.error], [409, "reference_in_use"]);
  await post(client, tenant, "/payments/PED-812", { status: "failed" });
  client.stack.provider.answer = () =>
    Response.json({ error: { code: 2040, message: "(#2040)" } }, { status: 400 });
  const refused = await sendTemplate(client, tenant, templateId, pixPayment);
  assertEquals([refused.status, refused.body.status], [502, "failed"]);
  assertEquals((await listSent(client, tenant)).at(-1)?.type, "template", "a template stays one");
});

Deno.test("a payment that is missing, wrong or out of place is 400, and nothing is stored or sent", async () => {
  await using client = await createWebhookClient();
  const { tenant, templateId } = await prepare(client, "whatsapp_cloud");
  const plainId = await createTemplate(client, tenant, {
    buttons: [{ type: "QUICK_REPLY", text: "Ok" }],
  });
  const pixId = await createTemplate(client, tenant, { buttons: [pixButton] });
  const askingId = await createTemplate(client, tenant, {
    buttons: [pixButton, { type: "QUICK_REPLY", text: "Ok" }],
  });
  const missing = await sendTemplate(client, tenant, templateId, undefined);
  assertEquals([missing.status, missing.body.error, missing.body.missing], [
    ...[400, "missing_variables", ["payment"]],
  ]);
  const soon = new Date(Date.now() + 60_000).toISOString();
  const cases: [templateId: string, payment: Json, members: Json, path: string][] = [
    [plainId, pixPayment, {}, "variables.payment"],
    [templateId, { ...pixPayment, amount: "129,90" }, {}, "variables.payment.amount"],
    [
      templateId,
      { ...pixPayment, pix: { code: `${amountCode}x` } },
      {},
      "variables.payment.pix.code",
    ],
    [
      templateId,
      { ...pixPayment, description: "a".repeat(61) },
      {},
      "variables.payment.description",
    ],
    [templateId, { ...pixPayment, expiresAt: soon }, {}, "variables.payment.expiresAt"],
    [
      pixId,
      { ...pixPayment, link: "https://pay.example.com/1" },
      {},
      "variables.payment.link",
    ],
    [askingId, pixPayment, { ask: { answerWithin: "PT1H" } }, "ask"],
  ];
  for (const [id, payment, members, path] of cases) {
    const { status, body } = await sendTemplate(client, tenant, id, payment, members);
    assertEquals([status, body.issues?.[0]?.path], [400, path], JSON.stringify(body));
  }
  assertEquals(client.stack.provider.requests.length, 0);
  assertEquals(await countStored(client), { messages: 0, payments: 0 });
});

Deno.test("on a gateway the template goes with the amount, then the code alone, once", async () => {
  await using client = await createWebhookClient();
  const { tenant, templateId } = await prepare(client, "zapi", {
    buttons: [pixButton, { type: "QUICK_REPLY", text: "Já paguei" }],
  });
  const { status, body } = await sendTemplate(client, tenant, templateId, pixPayment);
  assertEquals([status, body.payment.pixCode], [200, amountCode]);
  for (let run = 0; run < 3; run++) await client.stack.dispatch();
  const texts = client.stack.provider.requests.map(({ json }) => (json as Json)["message"]);
  assertEquals(texts, ["Pedido 812.\n\n1. Já paguei\n\nR$ 129,90", amountCode]);
  const [, code] = await listSent(client, tenant);
  const record = await read(client, tenant, body.internalMessageId);
  assertEquals((record["payment"] as Json)["codeMessageId"], code?.id);
});

Deno.test("on a gateway the file of a header has the payment below it, and the code follows", async () => {
  await using client = await createWebhookClient();
  const { tenant, templateId } = await prepare(client, "zapi", { header: { format: "DOCUMENT" } });
  const header = "https://files.example.com/boleto.pdf";
  const { body } = await sendTemplate(client, tenant, templateId, pixPayment, {
    variables: { header },
  });
  for (let run = 0; run < 2; run++) await client.stack.dispatch();
  const [document, code] = client.stack.provider.requests.map(({ json }) => json as Json);
  assertEquals([document?.["document"], document?.["caption"]], [
    ...[header, "Pedido 812.\n\nR$ 129,90"],
  ]);
  assertEquals(code?.["message"], amountCode);
  await post(client, tenant, "/payments/PED-812", { status: "paid" });
  const record = await read(client, tenant, body.internalMessageId);
  assertEquals((record["payment"] as Json)["status"], "paid");
});

Deno.test("no code follows a template that was canceled or has failed", async () => {
  await using client = await createWebhookClient();
  const { tenant, templateId } = await prepare(client, "zapi");
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await sendTemplate(client, tenant, templateId, pixPayment, { sendAt });
  await client.stack.messages(tenant, "DELETE", `/messages/${body.internalMessageId}`);
  client.stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  assertEquals((await sendTemplate(client, tenant, templateId, pixPayment)).status, 502);
  await client.stack.dispatch();
  assertEquals((await listSent(client, tenant)).map(({ status }) => status), [
    ...["canceled", "failed"],
  ]);
});

Deno.test("an event of the template shows the payment, and an erasure takes it", async () => {
  await using client = await createWebhookClient();
  const { tenant, templateId } = await prepare(client, "whatsapp_cloud");
  const { body } = await sendTemplate(client, tenant, templateId, pixPayment);
  const [event] = await client.stack.admin<{ payment: Json }[]>`
    select (message).content->'payment' as payment from messaging.events
    where type = 'message.sent' and instance_id = ${tenant.instanceId}`;
  assertEquals([event?.payment["reference"], event?.payment["status"]], ["PED-812", "pending"]);
  await client.stack.admin`select public.erase_contact(${
    client.stack.admin.json({ instanceId: tenant.instanceId, contactId: body.contactId })
  })`;
  for (let run = 0; run < 3; run++) {
    await client.stack
      .admin`select public.take_erasure_steps('{"maxErasures": 10, "maxRows": 100}')`;
  }
  assertEquals((await countStored(client))["payments"], 0);
});

const paymentOf = (reference: string, amount: string): Json => ({
  ...{ reference, amount },
  pix: { ...pixPayment.pix },
});

function listRecipients(payments: readonly (Json | undefined)[]): Json[] {
  return payments.map((payment, place) => ({
    phone: phoneOf(place),
    variables: { "1": String(place), ...(payment === undefined ? {} : { payment }) },
  }));
}

Deno.test("a batch of a template asks each recipient for its own payment", async () => {
  await using client = await createWebhookClient();
  const { tenant, templateId } = await prepare(client, "zapi");
  await requestPayment(client, tenant, { reference: "b-1" });
  const near = new Date(Date.now() + 200_000).toISOString();
  const recipients = listRecipients([
    paymentOf("a-1", "10.50"),
    paymentOf("b-1", "1234"),
    { ...paymentOf("c-1", "7"), expiresAt: near },
    paymentOf("d-1", "8"),
  ]);
  const source = { message: undefined, template: { templateId }, recipients };
  const dry = await callBatches(client.stack, tenant, "POST", "/batches", {
    ...{ ...source, dryRun: true },
  });
  assertEquals(dry.body.items.map((item: Json) => item["reason"] ?? null), [
    ...[null, "reference_in_use", "payment_ended", null],
  ]);
  const batchId = await createBatch(client.stack, tenant, { ...source, intervalSeconds: 10 });
  await callBatches(client.stack, tenant, "POST", `/batches/${batchId}/start`);
  await requestPayment(client, tenant, { reference: "d-1" });
  await runBatches(client.stack, 6);
  const states = (await readRecipients(client.stack, tenant, batchId))
    .map(({ status, reason }) => [status, reason]);
  assertEquals(states, [
    ...[["sent", null], ["skipped", "reference_in_use"], ["skipped", "payment_ended"]],
    ["skipped", "reference_in_use"],
  ]);
  const [asked] = await client.stack.admin<{ message: string; codes: number }[]>`
    select m.message, (select count(*)::integer from messaging.messages c
      where c.message = m.content->'payment'->>'pixCode') as codes
    from messaging.messages m where m.batch_id = ${batchId} and m.status = 'sent'`;
  assertEquals({ ...asked }, { message: "Pedido 0.\n\nR$ 10,50", codes: 1 });
});

Deno.test("a batch's recipients are refused by their payments, and two cannot have one reference", async () => {
  await using client = await createWebhookClient();
  const { tenant, templateId } = await prepare(client, "zapi");
  const cases: [payments: (Json | undefined)[], entry: string][] = [
    [[undefined], "0 variables.payment"],
    [[paymentOf("a", "1,5")], "0 variables.payment.amount"],
    [[paymentOf("a", "1"), paymentOf("a", "2")], "1 variables.payment.reference"],
  ];
  for (const [payments, place] of cases) {
    const { status, body } = await callBatches(client.stack, tenant, "POST", "/batches", {
      ...{ template: { templateId }, recipients: listRecipients(payments) },
    });
    const [entry] = body.errors ?? [];
    assertEquals([status, `${entry?.index} ${entry?.issues[0].path}`], [400, place]);
  }
});

Deno.test("outside the window a payment request's template asks for the request's own payment", async () => {
  await using client = await createWebhookClient();
  const { tenant, templateId } = await prepare(client, "whatsapp_cloud");
  const ladder = (variables: Json = {}): Json => ({
    outsideWindow: [{ template: { templateId, variables: { "1": "812", ...variables } } }],
  });
  const twice = await requestPayment(client, tenant, {}, ladder({ payment: pixPayment }));
  assertEquals([twice.status, twice.body.error], [409, "outside_conversation_window"]);
  const other = await client.stack.send(tenant, {
    ...{ phone, messageType: "text", message: "Oi" },
    ...ladder({ payment: pixPayment }),
  });
  assertEquals([other.status, other.body.error], [409, "outside_conversation_window"]);
  const { status, body } = await requestPayment(client, tenant, {}, ladder());
  assertEquals([status, body.sentAs], [200, "template"], JSON.stringify(body));
  const sent = client.stack.provider.requests.at(-1)?.json as { template: { components: Json[] } };
  assertEquals(sent.template.components[1]?.["sub_type"], "order_details");
  const record = await read(client, tenant, body.messageId);
  assertEquals([record["messageType"], (record["payment"] as Json)["status"]], [
    ...["payment_request", "pending"],
  ]);
  assertEquals((await listSent(client, tenant)).length, 1);
  const buttonsId = await createTemplate(client, tenant, { buttons: [pixButton] });
  const bare = await requestPayment(client, tenant, { reference: "b" }, {
    outsideWindow: [{ template: { templateId: buttonsId, variables: { "1": "813" } } }],
  });
  assertEquals(bare.body.sentAs, "template", JSON.stringify(bare.body));
  await say(client, tenant, "oi");
  for (const [paid, type] of [["PED-812", "interactive"], ["b", "text"]] as const) {
    await post(client, tenant, `/payments/${paid}`, { status: "paid", tell: true });
    await client.stack.dispatch();
    assertEquals((client.stack.provider.requests.at(-1)?.json as Json)["type"], type);
  }
});
