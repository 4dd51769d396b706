/** What may be asked for, and how it goes out on each channel. */
import { assert, assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { createAgent } from "../../support/fixtures/tenant.ts";
import { cloudPayload, createWebhookClient } from "../provider_webhook/webhook_client.ts";
import {
  amountCode,
  countStored,
  listSent,
  phone,
  pixPayment,
  post,
  requestPayment,
  say,
} from "./payment_client.ts";

type Json = Readonly<Record<string, unknown>>;

const soon = new Date(Date.now() + 60_000).toISOString();
const items = [{ name: "Camisa", quantity: 2, amount: "60.00" }];
const noPix = { pix: undefined };

/** What is asked for, and the field that is refused. */
const refused: readonly (readonly [payment: Json, path: string])[] = [
  [{ reference: "a b" }, "payment.reference"],
  [{ reference: "a".repeat(36) }, "payment.reference"],
  [{ reference: "" }, "payment.reference"],
  [{ amount: "129,90" }, "payment.amount"],
  [{ amount: "129.901" }, "payment.amount"],
  [{ amount: 129.9 }, "payment.amount"],
  [{ amount: "0.00" }, "payment.amount"],
  [{ amount: "10000000000.00" }, "payment.amount"],
  [{ items }, "payment.amount"],
  [{ items, shipping: "9.91" }, "payment.amount"],
  [{ items, discount: "500" }, "payment.amount"],
  [{ discount: "1" }, "payment.discount"],
  [{ items: [{ ...items[0], quantity: 0 }] }, "payment.items.0.quantity"],
  [noPix, "payment.pix"],
  [{ pix: { code: amountCode.replace("LOJA", "LOJB") } }, "payment.pix.code"],
  [{ pix: { code: `${amountCode}\n` } }, "payment.pix.code"],
  [{ pix: { code: amountCode }, amount: "129.91" }, "payment.pix.code"],
  [{ pix: { ...pixPayment.pix, code: amountCode } }, "payment.pix.key"],
  [{ pix: { ...pixPayment.pix, key: "12345678900" } }, "payment.pix.key"],
  [{ pix: { ...pixPayment.pix, keyType: undefined } }, "payment.pix.keyType"],
  [{ pix: { ...pixPayment.pix, keyType: "iban" } }, "payment.pix.keyType"],
  [{ pix: { ...pixPayment.pix, merchantName: "😀" } }, "payment.pix.merchantName"],
  // The code holds 15 characters of it, which are signs alone.
  [
    { pix: { ...pixPayment.pix, merchantCity: "---------------Recife" } },
    "payment.pix.merchantCity",
  ],
  [{ pix: {} }, "payment.pix.key"],
  [
    { ...noPix, boleto: "23793.38128 60007.827136 95000.063305 8 75520000370000" },
    "payment.boleto",
  ],
  [{ ...noPix, link: "http://pay.example.com/1" }, "payment.link"],
  [{ ...noPix, link: "https://10.0.0.1/1" }, "payment.link"],
  [{ goods: "service" }, "payment.goods"],
  [{ expiresAt: soon }, "payment.expiresAt"],
  [{ expiresAt: "tomorrow" }, "payment.expiresAt"],
];

Deno.test("a payment that cannot be asked for is 400 with its field, and nothing is stored or sent", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  for (const [payment, path] of refused) {
    const { status, body } = await requestPayment(client, tenant, payment);
    assertEquals([status, body.issues?.[0]?.path], [400, path], JSON.stringify(payment));
  }
  assertEquals(client.stack.provider.requests.length, 0);
  assertEquals(await countStored(client), { messages: 0, payments: 0 });
});

Deno.test("a payment that would end before its request leaves is 400, and nothing is stored", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const sendAt = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
  for (const timing of [{ sendAt: sendAt(57) }, { delayMessage: 3_500 }]) {
    const { status, body } = await requestPayment(client, tenant, { expiresAt }, timing);
    assertEquals([status, body.issues?.[0]?.path], [400, "payment.expiresAt"]);
  }
  assertEquals(await countStored(client), { messages: 0, payments: 0 });
  const { status } = await requestPayment(client, tenant, { expiresAt }, { sendAt: sendAt(50) });
  assertEquals(status, 200);
});

Deno.test("a message of another type takes no payment, and a request takes no question", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const text = await requestPayment(client, tenant, {}, { messageType: "text" });
  assertEquals([text.status, text.body.issues[0].path], [400, "payment"]);
  const asked = await requestPayment(client, tenant, {}, { ask: { answerWithin: "PT1H" } });
  assertEquals([asked.status, asked.body.issues[0].path], [400, "ask"]);
  assertEquals(await countStored(client), { messages: 0, payments: 0 });
});

Deno.test("on a gateway the words go with the amount, then the code alone, once", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const { status, body } = await requestPayment(client, tenant, {
    link: "https://pay.example.com/812",
  });
  assertEquals(status, 200);
  assertEquals(body.payment, { reference: "PED-812", status: "pending", pixCode: amountCode });
  assertEquals(body.rendering, "text");
  const texts = (): unknown[] =>
    client.stack.provider.requests.map(({ json }) => (json as { message?: unknown }).message);
  assertEquals(texts(), ["Pedido 812\n\nR$ 129,90\nhttps://pay.example.com/812"]);
  for (let run = 0; run < 3; run++) await client.stack.dispatch();
  assertEquals(texts().slice(1), [amountCode]);
  const record = (await client.stack.messages(tenant, "GET", `/messages/${body.messageId}`)).body;
  assertEquals(record.payment.status, "pending");
  const [, code] = await listSent(client, tenant);
  assertEquals(record.payment.codeMessageId, code?.id);
  const [paid] = (await client.stack.messages(tenant, "GET", "/payments")).body.items;
  assertEquals([paid.reference, paid.amount, paid.codeMessageId], [
    "PED-812",
    "129.90",
    code?.id,
  ]);
});

Deno.test("the code follows a request of the agent's that a caller sent, although a person writes in its place", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await createAgent(client.stack.admin, tenant.instanceId);
  await client.stack.send(tenant, { phone, messageType: "text", message: "Aqui é a Bia." });
  await requestPayment(client, tenant, {}, { sentBy: "ai_agent" });
  await client.stack.dispatch();
  const [, , code] = await listSent(client, tenant);
  assertEquals([code?.message, code?.status], [amountCode, "sent"]);
});

Deno.test("the code never goes before its request, nor after one that failed or was canceled", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const waiting = await requestPayment(client, tenant, {}, { sendAt: later });
  await client.stack.dispatch();
  assertEquals((await listSent(client, tenant)).length, 1);
  const path = `/messages/${waiting.body.messageId}`;
  assertEquals((await client.stack.messages(tenant, "DELETE", path)).status, 200);
  await client.stack.dispatch();
  client.stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  // The reference of what was canceled is free again.
  const failed = await requestPayment(client, tenant);
  assertEquals(failed.status, 502);
  await client.stack.dispatch();
  assertEquals((await listSent(client, tenant)).map(({ status }) => status), [
    "canceled",
    "failed",
  ]);
});

Deno.test("a reference names one open request; it is free again when its message failed or its payment ended", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => requestPayment(client, tenant)),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assertEquals(statuses, [200, ...Array(7).fill(409)]);
  const refusal = answers.find(({ status }) => status === 409);
  assertEquals(refusal?.body.error, "reference_in_use");
  assertEquals(await countStored(client), { messages: 2, payments: 1 });
  const other = await client.createTenant();
  assertEquals((await requestPayment(client, other)).status, 200);
  await post(client, tenant, "/payments/PED-812", { status: "canceled" });
  assertEquals((await requestPayment(client, tenant)).status, 200);
});

Deno.test("the official channel gets order_details, with every way to pay", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await say(client, tenant, "oi");
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await requestPayment(client, tenant, {
    items,
    ...{ shipping: "19.90", discount: "10.00", goods: "physical", expiresAt },
    link: "https://pay.example.com/812",
    boleto: "23793.38128 60007.827136 95000.063305 9 75520000370000",
  });
  assertEquals([body.rendering, body.payment.pixCode], ["native", amountCode]);
  const sent = client.stack.provider.requests.at(-1)?.json as { interactive: Json };
  const value = (cents: number): Json => ({ value: cents, offset: 100 });
  assertEquals(sent.interactive, {
    type: "order_details",
    body: { text: "Pedido 812" },
    action: {
      name: "review_and_pay",
      parameters: {
        reference_id: "PED-812",
        type: "physical-goods",
        payment_type: "br",
        currency: "BRL",
        total_amount: value(12_990),
        payment_settings: [
          {
            type: "pix_dynamic_code",
            pix_dynamic_code: {
              code: amountCode,
              merchant_name: "LOJA MODELO",
              key: "12345678909",
              key_type: "CPF",
            },
          },
          { type: "payment_link", payment_link: { uri: "https://pay.example.com/812" } },
          {
            type: "boleto",
            boleto: { digitable_line: "23793381286000782713695000063305975520000370000" },
          },
        ],
        order: {
          status: "pending",
          expiration: {
            timestamp: String(Math.floor(Date.parse(expiresAt) / 1_000)),
            description: "Prazo para pagamento",
          },
          items: [{ retailer_id: "1", name: "Camisa", amount: value(6_000), quantity: 2 }],
          subtotal: value(12_000),
          tax: value(0),
          shipping: value(1_990),
          discount: value(1_000),
        },
      },
    },
  });
  await client.stack.dispatch();
  assertEquals((await listSent(client, tenant)).length, 1);
});

/** An answer of Meta's that refuses, with this code. */
function refuse(code: number): Response {
  return Response.json({ error: { code, message: `(#${code}) refused` } }, { status: 400 });
}

Deno.test("where the person cannot receive it, the same message goes as text, once, and the code after it", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await say(client, tenant, "oi");
  const accept = client.stack.provider.answer;
  let refusals = 0;
  client.stack.provider.answer = (request) => {
    const body = request.json as { type?: string };
    if (body.type !== "interactive") return accept(request);
    refusals += 1;
    return refuse(2040);
  };
  const { status, body } = await requestPayment(client, tenant);
  assertEquals([status, refusals], [200, 1]);
  for (let run = 0; run < 2; run++) await client.stack.dispatch();
  const sent = await listSent(client, tenant);
  assertEquals(
    sent.map(({ id, type, rendering, status }) => [id === body.messageId, type, rendering, status]),
    [
      [true, "payment_request", "text", "sent"],
      [false, "text", null, "sent"],
    ],
  );
  assertEquals(sent[1]?.message, amountCode);
});

Deno.test("a call that wants the channel's own form alone fails where that is refused", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await say(client, tenant, "oi");
  client.stack.provider.answer = () => refuse(2040);
  const { status } = await requestPayment(client, tenant, {}, { rendering: "native" });
  assertEquals(status, 502);
  assertEquals((await listSent(client, tenant)).map(({ status }) => status), ["failed"]);
});

Deno.test("where a status refuses it later, the same message goes as text", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await say(client, tenant, "oi");
  const { body } = await requestPayment(client, tenant);
  const failed = {
    ...{ id: body.providerMessageId, status: "failed", recipient_id: phone },
    timestamp: String(Math.floor(Date.now() / 1_000)),
    errors: [{ code: 2040, title: "undeliverable" }],
  };
  for (let told = 0; told < 2; told++) {
    await client.cloud(tenant, cloudPayload({ statuses: [failed] }));
    await letTimePass(client.stack.admin, 1);
    for (let run = 0; run < 2; run++) await client.stack.dispatch();
  }
  const sent = await listSent(client, tenant);
  assertEquals(sent.map(({ rendering, status }) => [rendering, status]), [
    ["text", "sent"],
    [null, "sent"],
  ]);
});

Deno.test("a foreign number gets text from the start", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const { body } = await requestPayment(client, tenant, {}, { phone: "351912345678" });
  assertEquals(body.rendering, "text");
});

Deno.test("Z-API's own forms: an order where items are given, else a button; what they lose is said", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const order = await requestPayment(client, tenant, {
    items,
    shipping: "9.90",
  }, { rendering: "native" });
  assertEquals(order.body.reduced, ["message", "payment.reference"]);
  const button = await requestPayment(client, tenant, { reference: "b" }, { rendering: "native" });
  assertEquals(button.body.reduced, ["message", "payment.reference", "payment.amount"]);
  const calls = client.stack.provider.requests.map(({ path, json }) => [
    path.split("/").at(-1),
    json,
  ]);
  assertEquals(calls, [
    ["send-order", {
      phone,
      order: {
        currency: "BRL",
        products: [{ name: "Camisa", value: 60, quantity: 2 }],
        shipping: 9.9,
      },
      paymentSettings: {
        pix: { key: "12345678909", keyType: "cpf", name: "LOJA MODELO" },
        card: { enabled: false },
      },
    }],
    ["send-button-pix", {
      phone,
      pixKey: "12345678909",
      type: "CPF",
      merchantName: "LOJA MODELO",
    }],
  ]);
  const none = await requestPayment(
    client,
    tenant,
    { reference: "c", pix: undefined, link: "https://pay.example.com/1" },
    { rendering: "native" },
  );
  assertEquals([none.status, none.body.error], [400, "unsupported_on_channel"]);
  assert((await listSent(client, tenant)).every(({ type }) => type === "payment_request"));
});

Deno.test("a request that is tried again takes its reference again, unless another one has it", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const accept = client.stack.provider.answer;
  client.stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  const { body: { messageId } } = await requestPayment(client, tenant);
  client.stack.provider.answer = accept;
  const other = await requestPayment(client, tenant);
  assertEquals(other.status, 200);
  const path = `/messages/${messageId}/retry`;
  const taken = await client.stack.messages(tenant, "POST", path);
  assertEquals([taken.status, taken.body.error], [409, "reference_in_use"]);
  await post(client, tenant, "/payments/PED-812", { status: "canceled" });
  assertEquals((await client.stack.messages(tenant, "POST", path)).status, 200);
  assertEquals((await requestPayment(client, tenant)).status, 409);
});

Deno.test("the same call again gets the same answer, and asks for nothing twice", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const body = {
    ...{ phone, messageType: "payment_request", message: "Pedido 812", payment: pixPayment },
  };
  const key = { "idempotency-key": "pay-812" };
  const first = await client.stack.send(tenant, body, key);
  const again = await client.stack.send(tenant, body, key);
  assertEquals([again.status, again.body], [first.status, first.body]);
  assertEquals(await countStored(client), { messages: 2, payments: 1 });
});

Deno.test("a merged contact's payments are the surviving one's", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const request = async (reference: string, phone: string): Promise<string> =>
    (await requestPayment(client, tenant, { reference }, { phone })).body.contactId;
  const kept = await request("kept", phone);
  const gone = await request("gone", "5521981234567");
  const list = async (contactId: string): Promise<unknown> => {
    const { body } = await client.stack.messages(tenant, "GET", `/payments?contactId=${contactId}`);
    return body.items.map(({ reference }: Json) => reference);
  };
  assertEquals([await list(kept), await list(gone)], [["kept"], ["gone"]]);
  const merge = { contactId: gone, intoContactId: kept };
  assertEquals((await client.stack.post(tenant, "/contacts-api/merge", merge)).status, 200);
  assertEquals(await list(kept), ["kept", "gone"]);
  const [, payment] = (await client.stack.messages(tenant, "GET", "/payments")).body.items;
  assertEquals([payment.reference, payment.contact.contactId], ["gone", kept]);
});

Deno.test("an erased person's payments are gone", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await requestPayment(client, tenant);
  await client.stack.dispatch();
  const { contactId } = (await requestPayment(client, tenant, { reference: "b" })).body;
  await client.stack.admin`select public.erase_contact(${
    client.stack.admin.json({ instanceId: tenant.instanceId, contactId })
  })`;
  for (let run = 0; run < 3; run++) {
    await client.stack
      .admin`select public.take_erasure_steps('{"maxErasures": 10, "maxRows": 100}')`;
  }
  assertEquals((await countStored(client))["payments"], 0);
});

Deno.test("each request has its own code: none after its delivery, what was paid before it left asks no more", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const sendAt = new Date(Date.now() + 60_000).toISOString();
  await requestPayment(client, tenant, { reference: "paid" }, { sendAt });
  await post(client, tenant, "/payments/paid", { status: "paid" });
  const first = await requestPayment(client, tenant, { reference: "first" });
  await client.stack.dispatch();
  for (const status of ["RECEIVED", "READ"]) {
    await client.zapi(tenant, {
      ...{ type: "MessageStatusCallback", status, ids: [first.body.providerMessageId] },
      ...{ phone, momment: Date.now(), isGroup: false },
    });
  }
  await letTimePass(client.stack.admin, 61);
  await client.stack.dispatch();
  const rows = await client.stack.admin<{ reference: string; codes: number; status: string }[]>`
    select p.reference, count(c.id)::integer as codes, m.status
    from messaging.payments p
    join messaging.messages m on m.id = p.message_id
    left join messaging.messages c on c.id = p.code_message_id
    group by p.reference, m.status order by p.reference`;
  assertEquals(rows.map((row) => ({ ...row })), [
    { reference: "first", codes: 1, status: "read" },
    { reference: "paid", codes: 0, status: "canceled" },
  ]);
  assertEquals((await listSent(client, tenant)).filter(({ type }) => type === "text").length, 1);
});
