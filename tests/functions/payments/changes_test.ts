/** What is known of payments, what follows from it, and who learns it. */
import { assert, assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { runPayments } from "../../../shared/messages/maintenance.ts";
import { createWebhookClient, type WebhookClient } from "../provider_webhook/webhook_client.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import type { Answer } from "../../support/stack/messaging_stack.ts";
import { listChanges, listSent, phone, post, requestPayment, say } from "./payment_client.ts";

type Json = Readonly<Record<string, unknown>>;

function change(client: WebhookClient, tenant: Tenant, body: Json): Promise<Answer> {
  return post(client, tenant, "/payments/PED-812", body);
}

const forward: readonly (readonly [former: string, present: string])[] = [
  ["pending", "paid"],
  ["pending", "failed"],
  ["pending", "canceled"],
  ["failed", "paid"],
  ["expired", "paid"],
  ["paid", "refunded"],
];
const states = ["pending", "paid", "failed", "canceled", "expired", "refunded"];

Deno.test("a payment goes forward alone; the same again changes nothing", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await requestPayment(client, tenant);
  for (const former of states) {
    for (const present of states.filter((state) => state !== "expired")) {
      await client.stack.admin`
        update messaging.payments set status = ${former}, is_open = ${former === "pending"},
          paid_at = ${["paid", "refunded"].includes(former) ? new Date() : null}`;
      await client.stack.admin`delete from messaging.events where type = 'payment.changed'`;
      const { status, body } = await change(client, tenant, { status: present });
      const isForward = forward.some(([a, b]) => a === former && b === present);
      const expected = isForward || former === present ? [200, undefined] : [409, "payment_state"];
      assertEquals([status, body.error], expected, `${former} to ${present}`);
      const told = (await listChanges(client, tenant)).map((data) => data["status"]);
      assertEquals(told, isForward ? [present] : [], `${former} to ${present}`);
    }
  }
});

Deno.test("paid is told with the payment, by the message or the reference, and by many at once only once", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const { messageId } = (await requestPayment(client, tenant)).body;
  const paidAt = "2026-11-20T12:00:00.000Z";
  const answers = await Promise.all(
    Array.from(
      { length: 6 },
      (_, index) =>
        index % 2 === 0
          ? change(client, tenant, { status: "paid", paidAt, tell: true })
          : post(client, tenant, `/messages/${messageId}/payment`, {
            ...{ status: "paid", paidAt, tell: true },
          }),
    ),
  );
  assertEquals(answers.map(({ status }) => status), Array(6).fill(200));
  assertEquals(answers.filter(({ body }) => body.told !== null).length, 1);
  const [told, ...others] = await listChanges(client, tenant);
  assertEquals(others, []);
  const { contact, ...data } = told as { contact: Json };
  assertEquals(data, {
    ...{ messageId, reference: "PED-812", amount: "129.90", currency: "BRL", status: "paid" },
  });
  assertEquals(contact["phone"], phone);
  const [listed] = (await client.stack.messages(tenant, "GET", "/payments?status=paid")).body.items;
  assertEquals([listed.status, Date.parse(listed.paidAt)], ["paid", Date.parse(paidAt)]);
});

Deno.test("on a gateway the person learns it by a text; a code that still waits is canceled", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await requestPayment(client, tenant);
  await change(client, tenant, { status: "paid", tell: "Pago, obrigado." });
  await client.stack.dispatch();
  const sent = await listSent(client, tenant);
  assertEquals(sent.map(({ type, status }) => [type, status]), [
    ["payment_request", "sent"],
    ["text", "canceled"],
    ["payment_status", "sent"],
  ]);
  const { message } = client.stack.provider.requests.at(-1)?.json as { message: string };
  assertEquals(message, "Pago, obrigado.");
});

Deno.test("on the official channel the person learns it by order_status inside the window, and not outside", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await say(client, tenant, "oi");
  await requestPayment(client, tenant);
  await requestPayment(client, tenant, { reference: "b" });
  const { body } = await change(client, tenant, { status: "paid", tell: true });
  assertEquals(body.told.reason, null);
  await client.stack.dispatch();
  const sent = client.stack.provider.requests.at(-1)?.json as { interactive: Json };
  assertEquals(sent.interactive, {
    type: "order_status",
    body: { text: "Recebemos o seu pagamento. Obrigado!" },
    action: {
      name: "review_order",
      parameters: {
        reference_id: "PED-812",
        order: { status: "processing" },
        payment: { status: "captured" },
      },
    },
  });
  await letTimePass(client.stack.admin, 25 * 3_600);
  const late = await post(client, tenant, "/payments/b", {
    ...{ status: "canceled", tell: true },
  });
  assertEquals(late.body.status, "canceled");
  assertEquals(late.body.told, { messageId: null, reason: "outside_conversation_window" });
});

Deno.test("an order's status that the channel refuses fails that message alone", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await say(client, tenant, "oi");
  await requestPayment(client, tenant);
  client.stack.provider.answer = () =>
    Response.json({ error: { code: 2047, message: "no" } }, { status: 400 });
  await change(client, tenant, { status: "canceled", tell: true });
  await client.stack.dispatch();
  const sent = await listSent(client, tenant);
  assertEquals(sent.map(({ type, status }) => [type, status]), [
    ["payment_request", "sent"],
    ["payment_status", "failed"],
  ]);
  const [{ status }] = (await client.stack.messages(tenant, "GET", "/payments")).body.items;
  assertEquals(status, "canceled");
});

Deno.test("what waits for the payment is canceled by paid and by canceled, each with its reason", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  for (const [status, reason] of [["paid", "paid"], ["canceled", "payment_canceled"]] as const) {
    await requestPayment(client, tenant);
    const reminder = await client.stack.send(tenant, {
      ...{ phone, messageType: "text", message: "Lembrete", delayMessage: 3_600 },
      ...{ cancelOn: ["payment"], paymentReference: "PED-812" },
    });
    await change(client, tenant, { status });
    const path = `/messages/${reminder.body.messageId}`;
    const { body } = await client.stack.messages(tenant, "GET", path);
    assertEquals([body.status, body.cancelReason], ["canceled", reason]);
  }
});

Deno.test("a payment expires by the dispatcher, once, and can be paid after it", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const expiresAt = new Date(Date.now() + 600_000).toISOString();
  await requestPayment(client, tenant, { expiresAt });
  assertEquals((await runPayments(client.stack.database)).expired, 0);
  await letTimePass(client.stack.admin, 601);
  const runs = await Promise.all([1, 2, 3].map(() => runPayments(client.stack.database)));
  assertEquals(runs.reduce((sum, { expired }) => sum + expired, 0), 1);
  await change(client, tenant, { status: "paid" });
  const told = (await listChanges(client, tenant)).map((data) => data["status"]);
  assertEquals(told, ["expired", "paid"]);
});

Deno.test("what nobody asked for is 404, and bad input 400 with its field", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const unknown = await change(client, tenant, { status: "paid" });
  assertEquals([unknown.status, unknown.body.error], [404, "payment_not_found"]);
  const text = await client.stack.send(tenant, { phone, messageType: "text", message: "oi" });
  const path = `/messages/${text.body.messageId}/payment`;
  const none = await post(client, tenant, path, { status: "paid" });
  assertEquals([none.status, none.body.error], [404, "payment_not_found"]);
  const other = await client.createTenant();
  await requestPayment(client, other);
  assertEquals((await change(client, tenant, { status: "paid" })).status, 404);
  for (
    const [body, field] of [
      [{ status: "expired" }, "status"],
      [{}, "status"],
      [{ status: "failed", paidAt: "2026-11-20T12:00:00Z" }, "paidAt"],
      [{ status: "paid", paidAt: "today" }, "paidAt"],
      [{ status: "paid", tell: false }, "tell"],
      [{ status: "paid", tell: "x".repeat(1_025) }, "tell"],
    ] as const
  ) {
    const { status, body: answer } = await change(client, other, body);
    assertEquals([status, answer.issues?.[0]?.path], [400, field], JSON.stringify(body));
    assert(answer.issues[0].message !== "is invalid", JSON.stringify(body));
  }
  assertEquals(await listChanges(client, other), []);
});
