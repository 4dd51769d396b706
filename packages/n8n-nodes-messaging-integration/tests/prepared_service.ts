/* eslint-disable -- Deno runs the tests: n8n's rules are for its nodes */
/** What the workflows find in the service. */

import { assertEquals } from "../../../tests/support/assert.ts";
import { type LocalStack, secretKey } from "../../../tests/support/stack/local_stack.ts";
import { waitUntil } from "../../../tests/support/wait_until.ts";

export interface Demo {
  readonly instanceId: string;
  readonly token: string;
}

/** A template of the demo, a message that its channel has refused, and one that a person wrote. */
export async function prepareService(
  stack: LocalStack,
  phone: string,
): Promise<{ demo: Demo; templateId: string; failedMessageId: string; receivedMessageId: string }> {
  const { clientToken: token } = await (await fetch(`${stack.origin}/simulator/demo`)).json();
  const listed = await fetch(`${stack.origin}/functions/v1/admin-api/instances`, {
    headers: { apikey: secretKey },
  });
  const { items: [{ instanceId }] } = await listed.json();
  const { templateId } = await stack.administer("templates", {
    ...{ instanceId, name: "order_ready", language: "pt_BR", parameterFormat: "NAMED" },
    components: [{ type: "BODY", text: "Oi {{nome}}, o pedido {{pedido}} saiu." }],
  });
  const demo = { instanceId, token };
  return {
    ...{ demo, templateId, failedMessageId: await failOnce(stack, demo, phone) },
    receivedMessageId: await receive(stack, demo, phone),
  };
}

async function receive(stack: LocalStack, demo: Demo, phone: string): Promise<string> {
  const written = await fetch(`${stack.origin}/simulator/replies`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...{ provider: "zapi", instance: "DEMO", waId: phone },
      content: { messageType: "text", text: "Olá" },
    }),
  });
  assertEquals(written.ok, true, await written.text());
  // The simulated phone's webhook call comes after its answer.
  const received = await waitUntil(async () => {
    const { body } = await stack.call(demo, "messages-api/messages?direction=inbound&limit=1");
    return body.items[0];
  }, { what: "the received message" });
  return received.messageId;
}

async function failOnce(stack: LocalStack, demo: Demo, phone: string): Promise<string> {
  const planned = await fetch(`${stack.origin}/simulator/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ provider: "zapi", to: phone, kind: "reject" }),
  });
  assertEquals(planned.ok, true, await planned.text());
  const { status, body } = await stack.call(demo, "send-message", {
    ...{ instanceId: "demo", phone, messageType: "text", message: "at the second attempt" },
  });
  assertEquals(status, 502, JSON.stringify(body));
  return body.messageId;
}
