/** Payment requests as callers send them, and what is known of them. */
import type { Tenant } from "../../support/fixtures/tenant.ts";
import type { Answer } from "../../support/stack/messaging_stack.ts";
import {
  cloudPayload,
  cloudText,
  phone,
  type WebhookClient,
} from "../provider_webhook/webhook_client.ts";

export { phone };

type Json = Readonly<Record<string, unknown>>;

export const amountCode =
  "00020101021126330014br.gov.bcb.pix0111123456789095204000053039865406129.905802BR5911LOJA MODELO6009SAO PAULO62100506PED8126304ED20";

/** The request that the code above is built for. */
export const pixPayment = {
  reference: "PED-812",
  amount: "129.90",
  pix: {
    key: "123.456.789-09",
    keyType: "cpf",
    merchantName: "LOJA MODELO",
    merchantCity: "SÃO PAULO",
  },
};

/** Asks for a payment by send-message. */
export function requestPayment(
  client: WebhookClient,
  tenant: Tenant,
  payment: Json = {},
  message: Json = {},
): Promise<Answer> {
  return client.stack.send(tenant, {
    ...{ phone, messageType: "payment_request", message: "Pedido 812" },
    ...message,
    payment: { ...pixPayment, ...payment },
  });
}

/** POSTs to messages-api as the tenant. */
export function post(
  client: WebhookClient,
  tenant: Tenant,
  path: string,
  body: Json,
): Promise<Answer> {
  return client.stack.post(tenant, `/messages-api${path}`, body);
}

let told = 0;

/** The contact writes on the official channel. */
export async function say(client: WebhookClient, tenant: Tenant, text: string): Promise<void> {
  told += 1;
  await client.cloud(tenant, cloudPayload({ messages: [cloudText(`PAYER${told}`, text)] }));
}

/** What was sent, in its order: type, words, how it went, and its state. */
export async function listSent(
  client: WebhookClient,
  { instanceId }: Tenant,
): Promise<{ id: string; type: string; message: string; rendering: string; status: string }[]> {
  const rows = await client.stack.admin<
    { id: string; type: string; message: string; rendering: string; status: string }[]
  >`
    select id, message_type as type, message, content->>'rendering' as rendering, status
    from messaging.messages
    where instance_id = ${instanceId} and direction = 'outbound' order by created_at, id`;
  return rows.map((row) => ({ ...row }));
}

/** The data of payment.changed, in their order. */
export async function listChanges(client: WebhookClient, { instanceId }: Tenant): Promise<Json[]> {
  const rows = await client.stack.admin<{ data: Json }[]>`
    select data from messaging.events
    where instance_id = ${instanceId} and type = 'payment.changed' order by sequence`;
  return rows.map(({ data }) => data);
}

export async function countStored(client: WebhookClient): Promise<Json> {
  const [stored] = await client.stack.admin`
    select (select count(*)::integer from messaging.messages) as messages,
      (select count(*)::integer from messaging.payments) as payments`;
  return { ...stored };
}
