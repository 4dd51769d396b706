import { assert, assertEquals } from "../../support/assert.ts";
import {
  acceptMessage,
  answerUnknown,
  type DoubleRequest,
} from "../../support/doubles/http_double.ts";
import { createAgent, type Tenant } from "../../support/fixtures/tenant.ts";
import type { Answer, MessagingStack } from "../../support/stack/messaging_stack.ts";
import { type Channel, createChannels } from "../provider_webhook/channels.ts";
import {
  createWebhookClient,
  evolutionMessage,
  phone,
  type WebhookClient,
} from "../provider_webhook/webhook_client.ts";

const jid = `${phone}@s.whatsapp.net`;

Deno.test("a reaction is native on each channel, to a message of either side, and is taken back", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  for (const [place, channel] of (await createChannels(client)).entries()) {
    const { tenant } = channel;
    const [theirs, ours] = await exchange(client, channel);
    for (const [target, id, isOurs] of [[theirs, "IN1", false], [ours, "OUT1", true]] as const) {
      for (const emoji of ["👍", null]) {
        stack.provider.requests.length = 0;
        const { status, body } = await react(stack, tenant, target, emoji);
        assertEquals([status, body.mode, body.status], [200, "sent", "sent"]);
        const [call] = stack.provider.requests;
        assertEquals(
          place === 2
            ? [call?.json["type"], call?.json["reaction"], call?.json["context"]]
            : [verbOf(call), call?.json],
          [
            emoji === null
              ? ["send-remove-reaction", { phone, messageId: id }]
              : ["send-reaction", { phone, reaction: emoji, messageId: id }],
            ["sendReaction", {
              key: { id, remoteJid: jid, fromMe: isOurs },
              reaction: emoji ?? "",
            }],
            ["reaction", { message_id: id, emoji: emoji ?? "" }, undefined],
          ][place],
        );
        const read = await stack.messages(tenant, "GET", `/messages/${body.messageId}`);
        assertEquals(
          [read.body.messageType, read.body.reaction, read.body.quotedMessageId],
          ["reaction", { messageId: target, emoji }, target],
        );
      }
    }
  }
});

Deno.test("a reaction is told as message.reaction alone, pauses no agent, takes no place of the day and is nobody's newest message", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  for (const channel of await createChannels(client)) {
    const { tenant } = channel;
    const [theirs] = await exchange(client, channel);
    await createAgent(stack.admin, tenant.instanceId);
    await stack.admin`
      update messaging.instances set protection = '{"dailyLimit": 1000}'
      where id = ${tenant.instanceId}`;
    const before = await readState(stack, tenant);
    const known = (await listEvents(stack, tenant)).length;
    const { body } = await react(stack, tenant, theirs, "❤");
    assertEquals(body.aiAgentPausedUntil, null);
    assertEquals((await listEvents(stack, tenant)).slice(known), ["message.reaction"]);
    assertEquals(await readState(stack, tenant), before);
    const { body: feed } = await stack.request("/events-api/events?after=oldest&limit=100", {
      headers: { "x-client-token": tenant.token },
    });
    const told = feed.items.at(-1);
    assertEquals(
      [told.type, told.data.direction, told.data.reaction],
      ["message.reaction", "outbound", { messageId: theirs, emoji: "❤" }],
    );
  }
});

Deno.test("a reaction to an unknown message or another's, with no emoji, or not at once is refused, and nothing is stored or sent", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const [zapi, evolution] = await createChannels(client);
  const { tenant } = zapi!;
  const [theirs] = await exchange(client, zapi!);
  const [foreign] = await exchange(client, evolution!);
  await client.receive(tenant, {
    messageId: "IN9",
    phone: "5511955554444",
    text: { message: "a" },
  });
  const other = (await client.messages(tenant)).at(-1)?.["id"];
  const stored = (await client.messages(tenant)).length;
  stack.provider.requests.length = 0;
  for (const messageId of [crypto.randomUUID(), foreign, other]) {
    const answer = await react(stack, tenant, messageId, "👍");
    assertEquals([answer.status, answer.body.error], [404, "message_not_found"]);
  }
  for (const emoji of ["x", "", "👍👍", "1", " 👍", ":)", "👍 ok", undefined]) {
    const answer = await react(stack, tenant, theirs, emoji);
    assertEquals(
      [answer.status, answer.body.issues?.[0].path],
      [400, "reaction.emoji"],
      `${emoji}`,
    );
  }
  for (
    const [field, value] of Object.entries({
      ...{ queued: true, delayMessage: 5, replyTo: theirs, message: "a", cancelKey: "k" },
      sendAt: new Date(Date.now() + 60_000).toISOString(),
    })
  ) {
    const answer = await stack.send(tenant, {
      ...{ phone, messageType: "reaction", reaction: { messageId: theirs, emoji: "👍" } },
      [field]: value,
    });
    assertEquals([answer.status, answer.body.issues?.[0].path], [400, field]);
  }
  const batch = await stack.request("/batches-api/batches", {
    method: "POST",
    headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
    body: JSON.stringify({
      ...{ instanceId: tenant.instanceId, recipients: [{ phone }] },
      message: { messageType: "reaction", reaction: { messageId: theirs, emoji: "👍" } },
    }),
  });
  assertEquals([batch.status, batch.body.issues[0].path], [400, "message.messageType"]);
  assertEquals((await client.messages(tenant)).length, stored);
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("flags, skin tones and families are emoji, with or without the variation that colors them", async () => {
  await using client = await createWebhookClient();
  const [zapi] = await createChannels(client);
  const [theirs] = await exchange(client, zapi!);
  for (const emoji of ["🇧🇷", "👍🏽", "👨‍👩‍👧", "❤️", "❤", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"]) {
    const { status } = await react(client.stack, zapi!.tenant, theirs, emoji);
    assertEquals(status, 200, emoji);
  }
});

Deno.test("a reaction whose outcome is unknown is not repeated, and its echo, early or late, makes no second one", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const [, evolution] = await createChannels(client);
  const { tenant } = evolution!;
  const [theirs] = await exchange(client, evolution!);
  const echo = (id: string): ReturnType<WebhookClient["evolution"]> =>
    client.evolution(
      tenant,
      evolutionMessage(
        { reactionMessage: { key: { id: "IN1", fromMe: false, remoteJid: jid }, text: "👍" } },
        { id, fromMe: true },
      ),
    );
  const stored = (await client.messages(tenant)).length;
  stack.provider.answer = async () => {
    await echo("R1");
    return Response.json({ key: { id: "R1", fromMe: true } }, { status: 201 });
  };
  await react(stack, tenant, theirs, "👍");
  await echo("R1");
  assertEquals((await client.messages(tenant)).length, stored + 1);
  stack.provider.answer = answerUnknown;
  stack.provider.requests.length = 0;
  const { status, body } = await react(stack, tenant, theirs, "👍");
  assertEquals([status, body.error, body.status], [
    ...[504, "provider_outcome_unknown", "unconfirmed"],
  ]);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 1);
  await echo("R2");
  const reactions = (await client.messages(tenant)).slice(stored);
  assertEquals(
    reactions.map((message) => [message["status"], message["provider_message_id"]]),
    [["sent", "R1"], ["sent", "R2"]],
  );
  const told = (await listEvents(stack, tenant)).filter((type) => type === "message.reaction");
  assertEquals(told.length, 2);
  // Somebody takes it back on the phone meanwhile: that is no echo of ours.
  await react(stack, tenant, theirs, "👍");
  await client.evolution(
    tenant,
    evolutionMessage(
      { reactionMessage: { key: { id: "IN1", fromMe: false, remoteJid: jid }, text: "" } },
      { id: "R3", fromMe: true },
    ),
  );
  assertEquals((await client.messages(tenant)).length, stored + 4);
});

Deno.test("a repeated call with its key reacts once", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const [zapi] = await createChannels(client);
  const [theirs] = await exchange(client, zapi!);
  stack.provider.requests.length = 0;
  const key = { "Idempotency-Key": "a" };
  const answers = [];
  for (let call = 0; call < 2; call++) {
    answers.push(await react(stack, zapi!.tenant, theirs, "👍", key));
  }
  assertEquals(answers[1]?.body, answers[0]?.body);
  assertEquals(stack.provider.requests.length, 1);
});

/** The contact writes IN1 and is answered with OUT1. @returns their ids. */
async function exchange(client: WebhookClient, { tenant, arrive }: Channel): Promise<string[]> {
  const { stack } = client;
  await arrive("IN1", "Oi");
  stack.provider.answer = (request) => {
    const answer = { key: { id: "OUT1", fromMe: true }, messageId: "OUT1", id: "OUT1" };
    return Response.json(
      request.path.endsWith("/messages") ? { messages: [{ id: "OUT1" }] } : answer,
      { status: 201 },
    );
  };
  const { body } = await stack.send(tenant, { phone, messageType: "text", message: "Olá" });
  stack.provider.answer = acceptMessage;
  const theirs = (await client.messages(tenant)).find((one) => one["direction"] === "inbound");
  assert(theirs !== undefined);
  return [String(theirs["id"]), body.messageId];
}

function react(
  stack: MessagingStack,
  tenant: Tenant,
  messageId: unknown,
  emoji: string | null | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return stack.send(
    tenant,
    { phone, messageType: "reaction", reaction: { messageId, emoji } },
    headers,
  );
}

function verbOf(call: DoubleRequest | undefined): string | undefined {
  const parts = call?.path.split("/") ?? [];
  return parts[1] === "message" ? parts[2] : parts.at(-1);
}

async function listEvents({ admin }: MessagingStack, tenant: Tenant): Promise<string[]> {
  const rows = await admin`
    select type from messaging.events
    where instance_id = ${tenant.instanceId} and type like 'message.%' order by sequence`;
  return rows.map((row) => row["type"]);
}

/** What a reaction must not touch. */
async function readState({ admin }: MessagingStack, { instanceId }: Tenant): Promise<unknown> {
  const [state] = await admin`
    select a.last_message_at, a.awaits_reply, c.last_inbound_at,
      (select count(*)::integer from messaging.agent_pauses p where p.instance_id = c.instance_id)
        as pauses,
      (select coalesce(sum(d.sent), 0)::integer from messaging.paced_days d
        where d.instance_id = c.instance_id) as counted
    from messaging.contacts c
    join messaging.contact_activity a on a.contact_id = c.id
    where c.instance_id = ${instanceId}`;
  return state;
}
