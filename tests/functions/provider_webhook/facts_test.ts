/** What an event says of a message can be read later too: nobody who missed the event loses a fact. */

import { assert, assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { createChannels, readFeed } from "./channels.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  evolutionMessage,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

/** Members of a record that a raw row has elsewhere in its answer, or that only waiting messages have. */
const besideRawRows = [
  ...[
    "contact",
    "contactId",
    "heldBy",
    "holdReason",
    "holdCode",
    "heldUntil",
    "failedAt",
    "cancelKey",
    ...["cancelOn", "paymentReference", "cancelReason"],
    "expiresAt",
  ],
];

/** Requires that reading tells what each event told. Returns the data of the events. */
async function requireSameFacts(client: WebhookClient, tenant: Tenant): Promise<readonly Body[]> {
  const events = await readFeed(client, tenant);
  const { body: list } = await client.stack.messages(tenant, "GET", "/messages?limit=100");
  for (const { data } of events) {
    const { body } = await client.stack.messages(tenant, "GET", `/messages/${data.messageId}`);
    const item = list.items.find(({ messageId }: Body) => messageId === data.messageId);
    const told = withoutLink(data);
    for (const read of [body, item]) {
      assertEquals(pick(withoutLink(read), Object.keys(told)), told);
    }
    const { body: history } = await client.history(tenant, {
      ...{ format: "raw", contactId: data.contactId },
    });
    const row = history.messages.find(({ messageId }: Body) => messageId === data.messageId);
    const members = Object.keys(told).filter((name) => !besideRawRows.includes(name));
    assertEquals(pick(withoutLink(row), members), pick(told, members));
    assertEquals(history.contact, data.contact);
  }
  return events.map(({ data }) => data);
}

/** Each reading makes a new link. */
function withoutLink(record: Body): Body {
  return { ...record, mediaUrl: record.mediaUrl === null ? null : "link" };
}

function pick(record: Body, members: readonly string[]): Body {
  return Object.fromEntries(members.map((name) => [name, record[name]]));
}

Deno.test("records, lists and raw rows tell what the events tell, on every channel", async () => {
  await using client = await createWebhookClient();
  for (const { tenant, arrive, typed } of await createChannels(client)) {
    await arrive("THEIRS", "às 10h");
    await typed("OURS", "às 11h");
    const [theirs, ours] = await requireSameFacts(client, tenant);
    assertEquals([theirs.sentBy, theirs.isTypedOnPhone], [null, false]);
    assertEquals([ours.sentBy, ours.isTypedOnPhone], ["phone", true]);
    assertEquals(theirs.contact.phone, phone);
  }
});

Deno.test("a message of the API says who sent it, and that nobody typed it on the phone", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const text = { phone, messageType: "text", message: "Olá" };
  await client.stack.send(tenant, { ...text, sentBy: "operator", metadata: { order: "1" } });
  const [sent] = await requireSameFacts(client, tenant);
  assertEquals([sent.sentBy, sent.isTypedOnPhone], ["operator", false]);
});

Deno.test("a group's message names the group, the chat and its author", async () => {
  await using client = await createWebhookClient();
  const zapi = await client.createTenant();
  await client.receive(zapi, {
    ...{ messageId: "G1", phone: "1203630-group", isGroup: true, chatName: "Turma" },
    ...{ senderName: "Bia", participantPhone: "5511933334444", participantLid: "77@lid" },
    text: { message: "oi" },
  });
  const evolution = await client.createTenant({ provider: "evolution" });
  await client.evolution(
    evolution,
    evolutionMessage({ conversation: "oi" }, {
      ...{ id: "G1", remoteJid: "1203630@g.us", participant: "77@lid" },
      participantAlt: "5511933334444@s.whatsapp.net",
    }, { pushName: "Bia" }),
  );
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.cloud(
    official,
    cloudPayload({
      contacts: [{ profile: { name: "Bia" }, wa_id: phone, user_id: "BR.1" }],
      messages: [cloudText("G1", "oi", { group_id: "1203630" })],
    }),
  );
  for (
    const [tenant, author, address, chatName] of [
      [zapi, { name: "Bia", phone: "5511933334444", lid: "77@lid" }, "1203630-group", "Turma"],
      [evolution, { name: "Bia", phone: "5511933334444", lid: "77@lid" }, "1203630@g.us", null],
      [official, { name: "Bia", phone, userId: "BR.1" }, "1203630@g.us", null],
    ] as const
  ) {
    const [told] = await requireSameFacts(client, tenant);
    assertEquals([told.isGroup, told.author, told.chatName], [true, author, chatName]);
    assertEquals([told.message, told.contact.phone], ["Bia: oi", null]);
    const rows = await client.stack.admin`
      select address from messaging.contact_addresses where instance_id = ${tenant.instanceId}`;
    assertEquals(rows.map((row) => row["address"]), [address]);
  }
});

Deno.test("a file's name, type and size, a choice and what is answered are told of received messages", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const document = {
    ...{ id: "M1", mime_type: "application/pdf", filename: "conta.pdf", sha256: "" },
    caption: "Segue",
  };
  const list_reply = { id: "o1", title: "Azul" };
  await client.cloud(
    tenant,
    cloudPayload({
      contacts: [{ profile: { name: "Ana", username: "@Ana" }, wa_id: phone, user_id: "BR.1" }],
      messages: [
        cloudText("IN1", "", { type: "document", document, context: { id: "NOT-STORED" } }),
        cloudText("IN2", "", {
          ...{ type: "interactive", interactive: { type: "list_reply", list_reply } },
          context: { id: "IN1" },
        }),
      ],
    }),
  );
  const [file, choice] = await requireSameFacts(client, tenant);
  assertEquals(
    [file.mediaFilename, file.mediaMimeType, file.mediaSize],
    ["conta.pdf", "application/pdf", null],
  );
  assertEquals([file.quotedMessageId, file.quotedProviderMessageId], [null, "NOT-STORED"]);
  assertEquals(choice.choice, { id: "o1", title: "Azul" });
  assertEquals(
    [choice.quotedMessageId, choice.quotedProviderMessageId],
    [file.messageId, "IN1"],
  );
});

Deno.test("a person who hides the phone is phone null with the ids that are known, in events as in reads", async () => {
  await using client = await createWebhookClient();
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.cloud(
    official,
    cloudPayload({
      contacts: [{ profile: { name: "Ana", username: "@Ana.S" }, user_id: "BR.1" }],
      messages: [{ ...cloudText("IN1", "oi"), from: undefined, from_user_id: "BR.1" }],
    }),
  );
  const zapi = await client.createTenant();
  await client.receive(zapi, { messageId: "IN1", phone: "99@lid", text: { message: "oi" } });
  const known = { phone: null, name: null, userId: null, username: null, lid: null };
  for (
    const [tenant, ids] of [
      [official, { name: "Ana", userId: "BR.1", username: "ana.s" }],
      [zapi, { lid: "99@lid" }],
    ] as const
  ) {
    const [told] = await requireSameFacts(client, tenant);
    const { contactId, ...contact } = told.contact;
    assert(typeof contactId === "string");
    assertEquals(contact, { ...known, ...ids });
  }
});

Deno.test("the words that Evolution has written down are the voice message's transcript, and the agent does not wait for others", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  await client.stack.admin`
    update messaging.instances set transcribe_voice = 'always' where id = ${tenant.instanceId}`;
  const message = {
    audioMessage: { mimetype: "audio/ogg" },
    speechToText: "[audio] Quero um café",
  };
  await client.evolution(tenant, evolutionMessage(message));
  const { body } = await client.history(tenant);
  assertEquals(body.conversation[0].content.split("\n")[0], "[transcript] Quero um café");
  const [fetched] = await client.stack.admin`
    select (public.begin_media_fetch(jsonb_build_object('mediaId', f.id)))->'file'->'isVoice' as asks
    from messaging.media f`;
  assertEquals(fetched?.["asks"], false);
});

Deno.test("a message that the channel keeps back to judge others says so until it arrives", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.cloud(tenant, cloudPayload({ messages: [cloudText("IN1", "oi")] }));
  const answers = ["held_for_quality_assessment", "accepted"].map((message_status, place) => ({
    messaging_product: "whatsapp",
    messages: [{ id: `OUT${place}`, message_status }],
  }));
  const statusOf = async (id: string): Promise<unknown> => {
    const { body } = await client.stack.messages(tenant, "GET", `/messages/${id}`);
    return body.channelStatus;
  };
  const ids: string[] = [];
  for (const answer of answers) {
    client.stack.provider.answer = () => Response.json(answer);
    const sent = await client.stack.send(tenant, { phone, messageType: "text", message: "Olá" });
    ids.push(sent.body.messageId);
  }
  assertEquals(await Promise.all(ids.map(statusOf)), ["held_for_quality_assessment", null]);
  const [, held] = await requireSameFacts(client, tenant);
  assertEquals(held.channelStatus, "held_for_quality_assessment");
  const statuses = [{ id: "OUT0", status: "delivered", timestamp: cloudText("", "")["timestamp"] }];
  await client.cloud(tenant, cloudPayload({ statuses }));
  assertEquals(await statusOf(ids[0] ?? ""), null);
});
