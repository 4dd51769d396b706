import { acceptMessage, answerUnknown } from "../../support/doubles/http_double.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

const text = { phone, messageType: "text", message: "oi" };

/** An official status of a message. */
function cloudStatus(id: string, status: string, members: object = {}): Record<string, unknown> {
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  return { statuses: [{ id, status, timestamp, recipient_id: phone, ...members }] };
}

async function readState(
  { stack }: WebhookClient,
  tenant: Tenant,
  messageId: string,
): Promise<Record<string, unknown>> {
  return (await stack.messages(tenant, "GET", `/messages/${messageId}`)).body;
}

/** A message of the official channel that is `unconfirmed`, because the provider did not answer. */
async function sendUnconfirmed(client: WebhookClient, tenant: Tenant): Promise<string> {
  client.stack.provider.answer = answerUnknown;
  const sent = await client.stack.send(tenant, text);
  assertEquals([sent.status, sent.body.error], [504, "provider_outcome_unknown"]);
  const [row] = await client.messages(tenant);
  assertEquals(row?.["status"], "unconfirmed");
  return String(row?.["id"]);
}

Deno.test("delivery events move a message forward only, even before its send was recorded", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const report = (status: string): Promise<unknown> =>
    client.zapi(tenant, {
      type: "MessageStatusCallback",
      status,
      ids: ["OUT1"],
      momment: Date.now(),
    });
  client.stack.provider.answer = async () => {
    await report("READ");
    return Response.json({ zaapId: "Z", messageId: "OUT1", id: "OUT1" });
  };
  const sent = await client.stack.send(tenant, text);
  assertEquals([sent.status, sent.body.providerMessageId], [200, "OUT1"]);
  await report("RECEIVED");
  await report("SENT");
  const state = await readState(client, tenant, sent.body.messageId);
  assertEquals(state["status"], "read");
  assert(state["readAt"] !== null && state["sentAt"] !== null);
});

Deno.test("official statuses in any order, repeated, end in the farthest one", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const orders: readonly (readonly [readonly string[], string])[] = [
    [["sent", "delivered", "read"], "read"],
    [["read", "delivered", "sent", "read"], "read"],
    [["delivered", "delivered", "sent"], "delivered"],
    [["sent", "failed", "sent"], "failed"],
    [["read", "failed"], "read"],
  ];
  for (const [statuses, expected] of orders) {
    const sent = await client.stack.send(tenant, text);
    const { messageId, providerMessageId } = sent.body;
    for (const status of statuses) {
      const answer = await client.cloud(
        tenant,
        cloudPayload(cloudStatus(providerMessageId, status)),
      );
      assertEquals(answer.status, 200);
    }
    const state = await readState(client, tenant, messageId);
    assertEquals([statuses, state["status"]], [statuses, expected]);
  }
});

Deno.test("twenty statuses of one message at once are one move forward each", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const sent = await client.stack.send(tenant, text);
  const { messageId, providerMessageId } = sent.body;
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      client.cloud(
        tenant,
        cloudPayload(cloudStatus(providerMessageId, n % 2 === 0 ? "delivered" : "read")),
      )),
  );
  assert(answers.every(({ status }) => status === 200));
  const moves = answers.reduce((sum, { body }) => sum + body.recorded, 0);
  assert(moves === 1 || moves === 2, `${moves} moves`);
  assertEquals((await readState(client, tenant, messageId))["status"], "read");
});

Deno.test("a failure is kept with the provider's code and words, without the number", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const sent = await client.stack.send(tenant, text);
  const { messageId, providerMessageId } = sent.body;
  const errors = [{
    code: 131047,
    title: "Re-engagement message",
    message: "Re-engagement message",
    error_data: { details: `More than 24 hours have passed since ${phone} last replied.` },
  }];
  await client.cloud(tenant, cloudPayload(cloudStatus(providerMessageId, "failed", { errors })));
  const state = await readState(client, tenant, messageId);
  const { code, message } = state["lastError"] as { code: string; message: string };
  assertEquals([state["status"], code], ["failed", "131047"]);
  assert(message.includes("More than 24 hours") && !message.includes(phone), message);
  assert(state["failedAt"] !== null);
});

Deno.test("a message that needs the contact's phone, not a user id, fails as recipient_needs_phone: at once, or by a status", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const sent = await client.stack.send(tenant, text);
  const errors = [{ code: 131062, title: "Business-scoped User ID recipients not supported" }];
  const { messageId, providerMessageId } = sent.body;
  await client.cloud(tenant, cloudPayload(cloudStatus(providerMessageId, "failed", { errors })));
  const state = await readState(client, tenant, messageId);
  const { code } = state["lastError"] as { code: string };
  assertEquals([state["status"], code], ["failed", "recipient_needs_phone"]);

  client.stack.provider.answer = () =>
    Response.json({ error: { code: 131062, message: "(#131062) recipient" } }, { status: 400 });
  const { status, body } = await client.stack.send(tenant, text);
  assertEquals([status, body.error, body.retryable], [502, "provider_send_failed", false]);
  assertEquals(body.details.code, "recipient_needs_phone");
});

Deno.test("a status settles an unconfirmed message by the id that we gave it", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const messageId = await sendUnconfirmed(client, tenant);
  const given = client.stack.provider.requests[0]?.json["biz_opaque_callback_data"];
  assertEquals(given, messageId);
  const correlation = { biz_opaque_callback_data: messageId };
  await client.cloud(tenant, cloudPayload(cloudStatus("wamid.LATE", "delivered", correlation)));
  const state = await readState(client, tenant, messageId);
  assertEquals([state["status"], state["providerMessageId"]], ["delivered", "wamid.LATE"]);
  await client.cloud(tenant, cloudPayload(cloudStatus("wamid.LATE", "read")));
  assertEquals((await readState(client, tenant, messageId))["status"], "read");
});

Deno.test("a contact who wrote after a message that is settled later still awaits a reply", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const messageId = await sendUnconfirmed(client, tenant);
  await client.cloud(tenant, cloudPayload({ messages: [cloudText("wamid.IN", "tudo bem?")] }));
  const correlation = { biz_opaque_callback_data: messageId };
  await client.cloud(tenant, cloudPayload(cloudStatus("wamid.LATE", "delivered", correlation)));
  const [row] = await client.stack.admin`select awaits_reply from messaging.contact_activity`;
  assertEquals(row?.["awaits_reply"], true);
});

Deno.test("a failure settles an unconfirmed message too", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const messageId = await sendUnconfirmed(client, tenant);
  const correlation = {
    biz_opaque_callback_data: messageId,
    errors: [{ code: 131026, title: "Message undeliverable" }],
  };
  await client.cloud(tenant, cloudPayload(cloudStatus("wamid.LATE", "failed", correlation)));
  const state = await readState(client, tenant, messageId);
  assertEquals(state["status"], "failed");
  assertEquals((state["lastError"] as { code: string }).code, "131026");
});

Deno.test("our id in another instance's status moves nothing", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const other = await client.createTenant({ provider: "whatsapp_cloud" });
  const messageId = await sendUnconfirmed(client, tenant);
  const correlation = { biz_opaque_callback_data: messageId };
  await client.cloud(other, cloudPayload(cloudStatus("wamid.X", "read", correlation)));
  assertEquals((await readState(client, tenant, messageId))["status"], "unconfirmed");
});

Deno.test("a status that waits for its message is of its own instance alone", async () => {
  await using client = await createWebhookClient();
  const [tenant, other] = [await client.createTenant(), await client.createTenant()];
  const told = { type: "MessageStatusCallback", status: "READ", ids: ["SAME", "TYPED"] };
  await client.zapi(other, { ...told, momment: Date.now() });
  client.stack.provider.answer = () =>
    Response.json({ zaapId: "SAME", messageId: "SAME", id: "SAME" });
  const states = [];
  for (const sender of [tenant, other]) {
    const { body } = await client.stack.send(sender, text);
    states.push((await readState(client, sender, body.messageId))["status"]);
    const typed = { messageId: "TYPED", fromMe: true, fromApi: false, text: { message: "até já" } };
    await client.receive(sender, typed);
    states.push((await client.messages(sender)).at(-1)?.["status"]);
  }
  assertEquals(states, ["sent", "sent", "read", "read"]);
});

Deno.test("a message that waits to be sent again leaves the queue when a status says it arrived", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  client.stack.provider.answer = () =>
    Response.json({ error: { code: 130429, message: "Rate limit hit" } }, { status: 429 });
  const queued = await client.stack.send(tenant, { ...text, queued: true });
  await client.stack.dispatch();
  const { messageId } = queued.body;
  const waiting = await readState(client, tenant, messageId);
  assertEquals([waiting["status"], waiting["attempts"]], ["queued", 1]);
  const correlation = { biz_opaque_callback_data: messageId };
  await client.cloud(tenant, cloudPayload(cloudStatus("wamid.1", "sent", correlation)));
  client.stack.provider.answer = acceptMessage;
  await letTimePass(client.stack.admin, 3_600);
  await client.stack.dispatch();
  assertEquals(client.stack.provider.requests.length, 1);
  assertEquals((await readState(client, tenant, messageId))["status"], "sent");
  const queue = await client.stack.admin`select from messaging.message_queue`;
  assertEquals(queue.length, 0);
  // The instance goes on: its next queued message is sent.
  await client.stack.send(tenant, { ...text, queued: true });
  await letTimePass(client.stack.admin, 3_600);
  await client.stack.dispatch();
  assertEquals(client.stack.provider.requests.length, 2);
});

Deno.test("Evolution's updates and Z-API's delivery report move messages of ours", async () => {
  await using client = await createWebhookClient();
  const evolution = await client.createTenant({ provider: "evolution" });
  const first = await client.stack.send(evolution, text);
  const data = { keyId: first.body.providerMessageId, remoteJid: `${phone}@s.whatsapp.net` };
  for (const status of ["DELIVERY_ACK", "SERVER_ACK", "READ", "DELETED"]) {
    const update = { event: "messages.update", data: { ...data, fromMe: true, status } };
    assertEquals((await client.evolution(evolution, update)).status, 200);
  }
  assertEquals((await readState(client, evolution, first.body.messageId))["status"], "read");

  const zapi = await client.createTenant();
  const second = await client.stack.send(zapi, text);
  await client.zapi(zapi, {
    ...{ type: "DeliveryCallback", phone, zaapId: "Z" },
    messageId: second.body.providerMessageId,
    error: "Phone number does not exist",
  });
  const state = await readState(client, zapi, second.body.messageId);
  assertEquals([state["status"], state["lastError"]], [
    "failed",
    { code: "delivery_failed", message: "Phone number does not exist" },
  ]);
});

Deno.test("what the official channel decides about a template becomes its provider status", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const other = await client.createTenant({ provider: "whatsapp_cloud" });
  for (const { workspaceId, instanceId } of [tenant, other]) {
    await client.stack.admin`
      insert into messaging.message_templates (
        workspace_id, instance_id, name, language, parameter_format, components, provider_status,
        provider_template_id
      ) values (${workspaceId}, ${instanceId}, 'aviso', 'pt_BR', 'POSITIONAL', '[]', 'PENDING',
        '12345678901234567890')`;
  }
  const decide = (event: string): string =>
    // A number beyond 2^53, as Meta sends it.
    `{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{
      "field":"message_template_status_update","value":{"event":"${event}",
      "message_template_id": 12345678901234567890,"message_template_name":"aviso"}}]}]}`;
  const readStatuses = async (): Promise<unknown[]> => {
    const rows = await client.stack.admin`
      select provider_status from messaging.message_templates
      order by instance_id = ${other.instanceId}`;
    return rows.map((row) => row["provider_status"]);
  };
  for (const event of ["APPROVED", "PAUSED"]) {
    const answer = await client.cloud(tenant, decide(event));
    assertEquals([answer.status, answer.body.recorded], [200, 1]);
    assertEquals(await readStatuses(), [event, "PENDING"]);
  }
  // Any instance of the workspace may send a template of the workspace, so any may get its event.
  await client.stack.admin`
    update messaging.message_templates set instance_id = null where instance_id = ${tenant.instanceId}`;
  assertEquals((await client.cloud(tenant, decide("DISABLED"))).body.recorded, 1);
  const [own] = await client.stack.admin`
    select provider_status from messaging.message_templates where instance_id is null`;
  assertEquals(own?.["provider_status"], "DISABLED");
  assertEquals((await client.cloud(other, decide("APPROVED"))).body.recorded, 1);
  const [untouched] = await client.stack.admin`
    select provider_status from messaging.message_templates where instance_id is null`;
  assertEquals(untouched?.["provider_status"], "DISABLED", "not by another workspace's");
});

Deno.test("what a status says while the provider is being called holds, whatever its answer is then", async () => {
  const answers: readonly (readonly [status: string, answer: () => Response, final: string])[] = [
    ["delivered", () => new Response("busy", { status: 503 }), "delivered"],
    ["read", () => Response.json({ error: { code: 130429 } }, { status: 429 }), "read"],
    ["sent", () => Response.json({ error: { code: 100 } }, { status: 400 }), "sent"],
    ["failed", () => Response.json({ messages: [{ id: "wamid.A" }] }), "failed"],
    ["failed", () => new Response("busy", { status: 503 }), "failed"],
  ];
  for (const delivery of [{ queued: true, delayMessage: 1 }, { delayMessage: 1 }]) {
    for (const [status, answer, final] of answers) {
      await using client = await createWebhookClient();
      const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
      const { body } = await client.stack.send(tenant, { ...text, ...delivery });
      const correlation = { biz_opaque_callback_data: body.messageId };
      client.stack.provider.answer = async () => {
        await client.cloud(tenant, cloudPayload(cloudStatus("wamid.A", status, correlation)));
        return answer();
      };
      await letTimePass(client.stack.admin, 2);
      await client.stack.dispatch();
      const what = `${status}, ${final}, ${JSON.stringify(delivery)}`;
      const queue = await client.stack.admin`select from messaging.message_queue`;
      assertEquals(queue.length, 0, what);
      await letTimePass(client.stack.admin, 3_600);
      await client.stack.dispatch();
      assertEquals(client.stack.provider.requests.length, 1, what);
      const state = await readState(client, tenant, body.messageId);
      assertEquals(state["status"], final, what);
      const canceled = await client.stack.messages(
        tenant,
        "DELETE",
        `/messages/${body.messageId}`,
      );
      assertEquals([canceled.status, canceled.body.error], [409, "message_not_cancelable"]);
    }
  }
});

Deno.test("what is said again of a failed attempt does not fail the one after it", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const attempts = ["wamid.A", "wamid.B"];
  const tell = (status: string, id: string): Promise<unknown> =>
    client.cloud(tenant, cloudPayload(cloudStatus(id, status, correlation)));
  let correlation: object = {};
  client.stack.provider.answer = async () => {
    const id = attempts.shift();
    // The same event arrives again during the next attempt.
    if (id === "wamid.B") await tell("failed", "wamid.A");
    return Response.json({ messages: [{ id }] });
  };
  const { body } = await client.stack.send(tenant, text);
  correlation = { biz_opaque_callback_data: body.messageId };
  await tell("failed", "wamid.A");
  const path = `/messages/${body.messageId}`;
  const first = await readState(client, tenant, body.messageId);
  assertEquals(first["status"], "failed");
  await letTimePass(client.stack.admin, 600);
  assertEquals((await client.stack.messages(tenant, "POST", `${path}/retry`)).status, 200);
  await client.stack.dispatch();
  await tell("failed", "wamid.A");
  const second = await readState(client, tenant, body.messageId);
  assertEquals([second["status"], second["providerMessageId"]], ["sent", "wamid.B"]);
  assert(Date.parse(String(second["sentAt"])) > Date.now() - 60_000, "sent when it was sent again");
  await tell("delivered", "wamid.B");
  assertEquals((await readState(client, tenant, body.messageId))["status"], "delivered");
});

Deno.test("a message that has arrived is not canceled, even where its next attempt was", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const messageId = await sendUnconfirmed(client, tenant);
  await client.stack.messages(tenant, "POST", `/messages/${messageId}/retry`);
  await client.stack.messages(tenant, "DELETE", `/messages/${messageId}`);
  assertEquals((await readState(client, tenant, messageId))["status"], "canceled");
  const correlation = { biz_opaque_callback_data: messageId };
  await client.cloud(tenant, cloudPayload(cloudStatus("wamid.A", "delivered", correlation)));
  assertEquals((await readState(client, tenant, messageId))["status"], "delivered");
});

Deno.test("what is said late of a failed attempt takes no retry out of the queue, unless it has arrived", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  for (const [late, left] of [["sent", 1], ["delivered", 0]] as const) {
    client.stack.provider.answer = () => Response.json({ messages: [{ id: `wamid.${late}` }] });
    const { body } = await client.stack.send(tenant, { ...text, queued: true, delayMessage: 1 });
    await letTimePass(client.stack.admin, 60);
    await client.stack.dispatch();
    const tell = (status: string): Promise<unknown> =>
      client.cloud(tenant, cloudPayload(cloudStatus(`wamid.${late}`, status)));
    await tell("failed");
    await client.stack.messages(tenant, "POST", `/messages/${body.messageId}/retry`);
    await tell(late);
    const queue = await client.stack.admin`select from messaging.message_queue`;
    assertEquals([late, queue.length], [late, left]);
    const { status } = await readState(client, tenant, body.messageId);
    assertEquals(status, left === 1 ? "queued" : "delivered");
    await client.stack.admin`delete from messaging.message_queue`;
  }
});

Deno.test("what has arrived has arrived, whichever attempt was said to have failed while its answer was lost", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  client.stack.provider.answer = () => new Response(null, { status: 500 });
  for (const arrived of ["wamid.A", "wamid.B"]) {
    const { body } = await client.stack.send(tenant, text);
    const correlation = { biz_opaque_callback_data: body.messageId };
    for (const [status, id] of [["failed", "wamid.A"], ["sent", "wamid.B"]] as const) {
      await client.cloud(tenant, cloudPayload(cloudStatus(id, status, correlation)));
      assertEquals((await readState(client, tenant, body.messageId))["status"], "failed");
    }
    await client.cloud(tenant, cloudPayload(cloudStatus(arrived, "delivered", correlation)));
    const state = await readState(client, tenant, body.messageId);
    assertEquals([arrived, state["status"]], [arrived, "delivered"]);
  }
});

Deno.test("an attempt that the provider has accepted is sent, though an earlier one fails meanwhile", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  client.stack.provider.answer = () => new Response(null, { status: 500 });
  const { body } = await client.stack.send(tenant, text);
  assertEquals(body.status, "unconfirmed");
  const correlation = { biz_opaque_callback_data: body.messageId };
  const tell = (status: string, id: string): Promise<unknown> =>
    client.cloud(tenant, cloudPayload(cloudStatus(id, status, correlation)));
  client.stack.provider.answer = async () => {
    await tell("failed", "wamid.A");
    return Response.json({ messages: [{ id: "wamid.B" }] });
  };
  await client.stack.messages(tenant, "POST", `/messages/${body.messageId}/retry`);
  await client.stack.dispatch();
  const state = await readState(client, tenant, body.messageId);
  assertEquals([state["status"], state["providerMessageId"], state["failedAt"]], [
    "sent",
    "wamid.B",
    null,
  ]);
  await tell("delivered", "wamid.B");
  assertEquals((await readState(client, tenant, body.messageId))["status"], "delivered");
});
