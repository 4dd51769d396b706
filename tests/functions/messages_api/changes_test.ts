import { assert, assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { answerUnknown, type DoubleRequest } from "../../support/doubles/http_double.ts";
import type { Tenant, TenantOptions } from "../../support/fixtures/tenant.ts";
import {
  type Answer,
  type MessagingStack,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import { type Channel, createChannels } from "../provider_webhook/channels.ts";
import { createWebhookClient, type WebhookClient } from "../provider_webhook/webhook_client.ts";

const phone = "5511977776666";
const text = { phone, messageType: "text", message: "às 10h" };

/** What each gateway answers when it has done it. */
const accept: Readonly<Record<string, () => Response>> = {
  zapi: () => Response.json({ zaapId: "Z", messageId: "SENT", id: "SENT" }),
  evolution: () => Response.json({ key: { id: "SENT", fromMe: true } }, { status: 201 }),
};

const gateways = ["zapi", "evolution"] as const;

Deno.test("an edit of a sent text asks the gateway once, gives the message its new words and is told once", async () => {
  await using stack = await startMessagingStack();
  for (const provider of gateways) {
    const { tenant, messageId } = await sendOne(stack, { provider });
    const edited = await edit(stack, tenant, messageId, "às 11h");
    assertEquals([edited.status, edited.body.message], [200, "às 11h"]);
    assert(edited.body.editedAt !== null);
    assertEquals(describe(edited.body.change), ["edit", "done", "às 11h", null]);
    const [call] = asked(stack);
    assertEquals(
      provider === "zapi" ? [call?.path.split("/").at(-1), call?.json] : [call?.path, call?.json],
      provider === "zapi"
        ? ["send-text", { phone, message: "às 11h", editMessageId: "SENT" }]
        : [`/chat/updateMessage/${nameOf(call)}`, {
          number: phone,
          text: "às 11h",
          key: { id: "SENT", fromMe: true, remoteJid: `${phone}@s.whatsapp.net` },
        }],
    );
    assertEquals(asked(stack).length, 1);
    assertEquals(await listEvents(stack, tenant), ["message.sent", "message.edited"]);
    const read = await stack.messages(tenant, "GET", `/messages/${messageId}`);
    assertEquals(read.body, edited.body);
  }
});

Deno.test("a deletion for everyone asks the gateway once, keeps the words here and is told once, however often it is called", async () => {
  await using stack = await startMessagingStack();
  for (const provider of gateways) {
    const { tenant, messageId } = await sendOne(stack, { provider });
    if (provider === "zapi") stack.provider.answer = () => new Response(null, { status: 204 });
    const deleted = await deleteForAll(stack, tenant, messageId);
    assertEquals([deleted.status, deleted.body.message], [200, "às 10h"]);
    assert(deleted.body.deletedAt !== null);
    const again = await deleteForAll(stack, tenant, messageId);
    assertEquals([again.status, again.body], [200, deleted.body]);
    const [call, ...others] = asked(stack);
    assertEquals([call?.method, others.length], ["DELETE", 0]);
    if (provider === "zapi") {
      assertEquals(call?.query, `?messageId=SENT&phone=${phone}&owner=true`);
    } else {
      assertEquals(call?.json, {
        ...{ id: "SENT", fromMe: true, remoteJid: `${phone}@s.whatsapp.net` },
      });
    }
    assertEquals(await listEvents(stack, tenant), ["message.sent", "message.deleted"]);
    const edited = await edit(stack, tenant, messageId, "x");
    assertEquals([edited.status, edited.body.details], [409, { reason: "deleted" }]);
  }
});

Deno.test("what cannot be edited or deleted is refused before the provider is asked, and nothing is recorded", async () => {
  await using stack = await startMessagingStack();
  const { tenant, messageId } = await sendOne(stack, {});
  const neighbour = await stack.createTenant();
  const official = await stack.createTenant({ provider: "whatsapp_cloud" });
  const waiting = await stack.send(tenant, { ...text, delayMessage: 600 });
  const audio = { phone, messageType: "audio", mediaUrl: "https://example.com/a.mp3" };
  const voice = await stack.send(tenant, audio);
  const photo = { phone, messageType: "image", mediaUrl: "https://example.com/a.jpg" };
  const typed = await stack.send(tenant, photo);
  const reaction = { phone, messageType: "reaction", reaction: { messageId, emoji: "👍" } };
  const reacted = await stack.send(tenant, reaction);
  await stack.admin`
    insert into messaging.contacts (instance_id, phone, identity_key, origin, last_inbound_at)
    values (${official.instanceId}, ${phone}, ${phone}, 'api', now())`;
  const onOfficial = await stack.send(official, text);
  await stack.admin`
    update messaging.messages set is_typed_on_phone = true where id = ${typed.body.messageId}`;
  const count = stack.provider.requests.length;
  const cases: [Tenant, string, number, string, string?][] = [
    [neighbour, messageId, 404, "message_not_found"],
    [tenant, waiting.body.messageId, 409, "message_not_editable", "queued"],
    [tenant, voice.body.messageId, 409, "message_not_editable", "unknown_type"],
    [tenant, typed.body.messageId, 409, "message_not_editable", "unknown_type"],
    [tenant, reacted.body.messageId, 409, "message_not_editable", "unknown_type"],
    [official, onOfficial.body.messageId, 409, "message_not_editable", "official_channel"],
  ];
  for (const [owner, id, status, error, reason] of cases) {
    const answer = await edit(stack, owner, id, "novo");
    assertEquals([answer.status, answer.body.error, answer.body.details?.reason], [
      ...[status, error, reason],
    ]);
  }
  for (const [{ body }, reason] of [[waiting, "queued"], [reacted, "unknown_type"]] as const) {
    const answer = await deleteForAll(stack, tenant, body.messageId);
    assertEquals([answer.status, answer.body.error, answer.body.details], [
      ...[409, "message_not_deletable", { reason }],
    ]);
  }
  const there = await deleteForAll(stack, official, onOfficial.body.messageId);
  assertEquals([there.status, there.body.details], [409, { reason: "official_channel" }]);
  for (
    const body of [{ message: "" }, { message: "x", sendAt: new Date().toISOString() }, {
      message: 3,
    }]
  ) assertEquals((await patch(stack, tenant, messageId, body)).status, 400);
  const other = await stack.messages(tenant, "DELETE", `/messages/${messageId}?for=me`);
  assertEquals(other.status, 400);
  assertEquals(stack.provider.requests.length, count);
  const [changed] = await stack.admin`
    select count(*)::integer as rows from messaging.messages where change is not null`;
  assertEquals(changed?.["rows"], 0);
});

Deno.test("a message is edited for fifteen minutes after it was sent, and deleted later too", async () => {
  await using stack = await startMessagingStack();
  const { tenant, messageId } = await sendOne(stack, {});
  await letTimePass(stack.admin, 14 * 60);
  assertEquals((await edit(stack, tenant, messageId, "às 11h")).status, 200);
  await letTimePass(stack.admin, 61);
  const late = await edit(stack, tenant, messageId, "às 12h");
  assertEquals([late.status, late.body.error, late.body.details], [
    ...[409, "message_not_editable", { reason: "too_old" }],
  ]);
  assertEquals((await deleteForAll(stack, tenant, messageId)).status, 200);
});

Deno.test("an unknown outcome of an edit is told, repeats nothing, and the provider's own word settles it", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  for (const { tenant, edit: tellEdit } of await listGateways(client)) {
    stack.provider.requests.length = 0;
    stack.provider.answer = acceptSent;
    const { body } = await stack.send(tenant, text);
    stack.provider.answer = answerUnknown;
    const lost = await edit(stack, tenant, body.messageId, "às 11h");
    assertEquals([lost.status, lost.body.error], [504, "provider_outcome_unknown"]);
    const doubtful = await stack.messages(tenant, "GET", `/messages/${body.messageId}`);
    assertEquals([doubtful.body.message, doubtful.body.editedAt], ["às 10h", null]);
    assertEquals(describe(doubtful.body.change).slice(0, 2), ["edit", "unknown"]);
    await stack.dispatch();
    assertEquals(asked(stack).length, 1);
    await tellEdit("SENT", "às 11h", "phone");
    const proved = await stack.messages(tenant, "GET", `/messages/${body.messageId}`);
    assertEquals([proved.body.message, proved.body.change.status], ["às 11h", "done"]);
    assertEquals(await listEvents(stack, tenant), ["message.sent", "message.edited"]);
  }
});

Deno.test("the provider's echo of an edit makes no second one, before or after the answer, and of an earlier edit undoes no later one", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  for (const { tenant, edit: tellEdit } of await listGateways(client)) {
    stack.provider.answer = acceptSent;
    const { body: { messageId } } = await stack.send(tenant, text);
    // The echo comes while the provider answers.
    stack.provider.answer = async () => {
      await tellEdit("SENT", "às 11h", "phone");
      return acceptSent();
    };
    assertEquals((await edit(stack, tenant, messageId, "às 11h")).status, 200);
    stack.provider.answer = acceptSent;
    await edit(stack, tenant, messageId, "às 12h");
    await edit(stack, tenant, messageId, "às 13h");
    await tellEdit("SENT", "às 12h", "phone");
    await tellEdit("SENT", "às 13h", "phone");
    const read = await stack.messages(tenant, "GET", `/messages/${messageId}`);
    assertEquals(read.body.message, "às 13h");
    assertEquals((await listEvents(stack, tenant)).length, 4);
    // A person may give it former words.
    await tellEdit("SENT", "às 12h", "phone");
    const byPerson = await stack.messages(tenant, "GET", `/messages/${messageId}`);
    assertEquals(byPerson.body.message, "às 12h");
  }
});

Deno.test("a refusal of the gateway leaves the message as it was: 409 where it cannot be done, 502 where it cannot be asked", async () => {
  await using stack = await startMessagingStack();
  const { tenant, messageId } = await sendOne(stack, { provider: "evolution" });
  const refusals: [Response, number, string, string?][] = [
    [refuseEvolution("Message not compatible"), 409, "message_not_editable", "http_400"],
    [refuseEvolution("Method not available on WhatsApp Business API"), 409, "message_not_editable"],
    [refuseEvolution("Error: Connection Closed"), 502, "provider_send_failed", "http_400"],
  ];
  for (const [response, status, error, code] of refusals) {
    stack.provider.answer = () => response;
    const answer = await edit(stack, tenant, messageId, "às 11h");
    assertEquals([answer.status, answer.body.error, answer.body.details.code], [
      ...[status, error, code],
    ]);
    const read = await stack.messages(tenant, "GET", `/messages/${messageId}`);
    assertEquals([read.body.message, read.body.change.status], ["às 10h", "refused"]);
  }
  assertEquals(await listEvents(stack, tenant), ["message.sent"]);
});

Deno.test("a change whose process ended before its outcome was recorded is told as unknown, and another one may follow", async () => {
  await using stack = await startMessagingStack();
  const { tenant, messageId } = await sendOne(stack, {});
  const { instanceId } = tenant;
  await stack.database.rpc("begin_message_change", {
    ...{ instanceId, messageId, leaseSeconds: 30, kind: "edit", message: "às 11h" },
  });
  const underWay = await stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals(underWay.body.change.status, "under_way");
  const second = await edit(stack, tenant, messageId, "às 12h");
  assertEquals([second.status, second.body.details], [409, { reason: "changing" }]);
  await stack.admin`
    update messaging.messages
    set change = change || jsonb_build_object('leaseUntil', clock_timestamp())
    where id = ${messageId}`;
  const read = await stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals([read.body.change.status, read.body.change.error.code], ["unknown", "worker_lost"]);
  assertEquals([read.body.message, read.body.editedAt], ["às 10h", null]);
  assertEquals((await edit(stack, tenant, messageId, "às 12h")).body.message, "às 12h");
});

Deno.test("two edits at once ask the provider for one of them", async () => {
  await using stack = await startMessagingStack();
  const { tenant, messageId } = await sendOne(stack, {});
  const answers = await Promise.all(
    ["a", "b", "c"].map((words) => edit(stack, tenant, messageId, words)),
  );
  const done = answers.filter(({ status }) => status === 200);
  const others = answers.filter(({ status }) => status !== 200);
  assert(done.length >= 1);
  for (const { body } of others) assertEquals(body.details, { reason: "changing" });
  assertEquals(asked(stack).length, done.length);
});

async function sendOne(
  stack: MessagingStack,
  options: TenantOptions,
): Promise<{ tenant: Tenant; messageId: string }> {
  const tenant = await stack.createTenant(options);
  stack.provider.answer = accept[options.provider ?? "zapi"] ?? acceptSent;
  const { body } = await stack.send(tenant, text);
  stack.provider.requests.length = 0;
  return { tenant, messageId: body.messageId };
}

function acceptSent(): Response {
  return Response.json({ key: { id: "SENT", fromMe: true }, messageId: "SENT", id: "SENT" });
}

/** What the provider was asked beside sends. */
function asked({ provider }: MessagingStack): DoubleRequest[] {
  return provider.requests.filter(({ path, json }) =>
    path.startsWith("/chat/") || path.endsWith("/messages") || "editMessageId" in json
  );
}

function nameOf(call: DoubleRequest | undefined): string | undefined {
  return call?.path.split("/").at(-1);
}

function patch(
  stack: MessagingStack,
  tenant: Tenant,
  id: string,
  body: unknown,
): Promise<Answer> {
  return stack.request(`/messages-api/messages/${id}`, {
    method: "PATCH",
    headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

function edit(stack: MessagingStack, tenant: Tenant, id: string, message: string): Promise<Answer> {
  return patch(stack, tenant, id, { message });
}

function deleteForAll(stack: MessagingStack, tenant: Tenant, id: string): Promise<Answer> {
  return stack.messages(tenant, "DELETE", `/messages/${id}?for=everyone`);
}

function describe(
  { kind, status, message, error }: Readonly<Record<string, unknown>>,
): readonly unknown[] {
  return [kind, status, message, error];
}

async function listEvents({ admin }: MessagingStack, tenant: Tenant): Promise<string[]> {
  const rows = await admin`
    select type from messaging.events
    where instance_id = ${tenant.instanceId} and type like 'message.%' order by sequence`;
  return rows.map((row) => row["type"]);
}

function refuseEvolution(words: string): Response {
  return Response.json({ status: 400, error: "Bad Request", response: { message: [words] } }, {
    status: 400,
  });
}

async function listGateways(client: WebhookClient): Promise<readonly Channel[]> {
  return (await createChannels(client)).slice(0, gateways.length);
}
