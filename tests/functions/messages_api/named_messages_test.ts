/** Messages named in paths by our id or the provider's, and refusals that name the state. */

import { assertEquals } from "../../support/assert.ts";
import {
  type Answer,
  type MessagingStack,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";

const text = { phone: "5511977776666", messageType: "text", message: "Olá" };

/** A call of messages-api about a message. */
function callMessages(
  stack: MessagingStack,
  tenant: Tenant,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  return stack.request(`/messages-api/messages/${path}`, {
    method,
    headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Makes every message of the instance known to the provider under this id. */
async function giveProviderId(stack: MessagingStack, tenant: Tenant, id: string): Promise<void> {
  await stack.admin`
    update messaging.messages set provider_message_id = ${id}
    where instance_id = ${tenant.instanceId}`;
}

Deno.test("a message is read, moved, retried and canceled by the provider's id as by ours", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { messageId } = (await stack.send(tenant, { ...text, delayMessage: 600 })).body;
  const providerId = "wamid.HBgN+/NTUx==";
  await giveProviderId(stack, tenant, providerId);
  const path = encodeURIComponent(providerId);
  const call = async (method: string, suffix = "", body?: unknown): Promise<unknown[]> => {
    const answer = await callMessages(stack, tenant, method, `${path}${suffix}`, body);
    return [answer.status, answer.body.messageId ?? answer.body.error];
  };
  assertEquals(await call("GET"), [200, messageId]);
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  assertEquals(await call("PATCH", "", { sendAt }), [200, messageId]);
  assertEquals(await call("POST", "/retry"), [409, "message_not_retriable"]);
  assertEquals(await call("DELETE"), [200, messageId]);
  await stack.admin`
    update messaging.messages set status = 'failed', failed_at = now(), canceled_at = null`;
  assertEquals(await call("POST", "/retry"), [200, messageId]);
});

Deno.test("a provider's id of another instance, or of several messages, names none", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const other = await stack.createTenant();
  const { messageId } = (await stack.send(tenant, text)).body;
  await giveProviderId(stack, tenant, "3EB0C7");
  const read = async (of: Tenant, id: string): Promise<unknown[]> => {
    const answer = await stack.messages(of, "GET", `/messages/${id}`);
    return [answer.status, answer.body.error ?? answer.body.messageId];
  };
  assertEquals(await read(tenant, "3EB0C7"), [200, messageId]);
  assertEquals(await read(other, "3EB0C7"), [404, "message_not_found"]);
  assertEquals(await read(other, messageId), [404, "message_not_found"]);
  assertEquals(await read(tenant, "%00"), [404, "message_not_found"]);
  await stack.send(tenant, text);
  await giveProviderId(stack, tenant, "3EB0C7");
  assertEquals(await read(tenant, "3EB0C7"), [404, "message_not_found"]);
  assertEquals(await read(tenant, messageId), [200, messageId]);
});

Deno.test("an id in the form of ours that is the provider's finds its message", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { messageId } = (await stack.send(tenant, text)).body;
  const providerId = crypto.randomUUID();
  await giveProviderId(stack, tenant, providerId);
  const { status, body } = await stack.messages(tenant, "GET", `/messages/${providerId}`);
  assertEquals([status, body.messageId], [200, messageId]);
});

Deno.test("a refusal because of a message's state names the state", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { messageId } = (await stack.send(tenant, text)).body;
  const told = async (method: string, suffix = "", body?: unknown): Promise<unknown> =>
    (await callMessages(stack, tenant, method, `${messageId}${suffix}`, body)).body.message;
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  assertEquals(
    await told("DELETE"),
    "The message is sent. Only a message that is still queued can be canceled.",
  );
  assertEquals(
    await told("PATCH", "", { sendAt }),
    "The message is sent. Only a message that is still queued can be moved.",
  );
  assertEquals(
    await told("POST", "/retry"),
    "The message is sent. Only a failed or unconfirmed message can be retried.",
  );
});

Deno.test("what cannot be done with a received message is 409 and says so, by either of its ids", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.send(tenant, text);
  const [received] = await stack.admin`
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, status,
      provider_message_id, sent_at
    )
    select m.instance_id, m.contact_id, m.conversation_id, 'inbound', 'text', 'oi', 'received', 'IN-2', now()
    from messaging.messages m where m.instance_id = ${tenant.instanceId}
    returning id`;
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const calls: readonly (readonly [string, string, unknown, string])[] = [
    ["DELETE", "", undefined, "message_not_cancelable"],
    ["DELETE", "?for=everyone", undefined, "message_not_deletable"],
    ["PATCH", "", { message: "olá" }, "message_not_editable"],
    ["PATCH", "", { sendAt }, "message_not_movable"],
    ["POST", "/retry", undefined, "message_not_retriable"],
  ];
  for (const id of [received?.["id"], "IN-2"]) {
    for (const [method, rest, body, error] of calls) {
      const told = await callMessages(stack, tenant, method, `${id}${rest}`, body);
      assertEquals([told.status, told.body.error], [409, error], `${method} ${rest}`);
      assertEquals(told.body.message.startsWith("The message is received."), true);
    }
  }
});
