import { assert, assertEquals } from "../../support/assert.ts";
import { createAgent, type Tenant } from "../../support/fixtures/tenant.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  evolutionMessage,
  phone,
  type StoredMessage,
  type WebhookClient,
} from "./webhook_client.ts";

const mediaUrl = "https://cdn.example.com/file";

/** What is stored for a content: type, text, media, choice. */
type Expected = readonly [string, string | null, Record<string, unknown>?];

/** With where its file is to be fetched: the URL, else the id. */
function describe(row: StoredMessage | undefined): Record<string, unknown> {
  const { message_type, message, content, file_source } = row ?? {};
  const { url, id } = (file_source ?? {}) as { url?: string; id?: string };
  const source = file_source === null
    ? {}
    : url === undefined
    ? { mediaId: id }
    : { mediaUrl: url };
  const parts = { ...content as object, ...source };
  return { message_type, message, content: Object.keys(parts).length === 0 ? null : parts };
}

function expect([message_type, message, content]: Expected): Record<string, unknown> {
  return { message_type, message, content: content ?? null };
}

async function pausedUntil({ stack }: WebhookClient, tenant: Tenant): Promise<Date | undefined> {
  const [pause] = await stack.admin`
    select paused_until from messaging.agent_pauses where instance_id = ${tenant.instanceId}`;
  return pause?.["paused_until"];
}

/** Half an hour from now, with a tolerance for the duration of the test. */
function assertHalfAnHour(until: Date | undefined): void {
  const minutes = ((until?.getTime() ?? 0) - Date.now()) / 60_000;
  assert(minutes > 28 && minutes <= 30, `${minutes} minutes`);
}

Deno.test("Z-API: each kind of message is stored with its words, file and choice", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const choice = { id: "2", title: "Tarde" };
  const cases: readonly (readonly [object, Expected])[] = [
    [{ text: { message: "oi\nAna" } }, ["text", "oi\nAna"]],
    [{ image: { imageUrl: mediaUrl, caption: "foto" } }, ["image", "foto", {
      mediaUrl,
    }]],
    [{ audio: { audioUrl: mediaUrl } }, ["audio", null, { mediaUrl }]],
    [{ video: { videoUrl: mediaUrl, caption: "filme" } }, ["video", "filme", {
      mediaUrl,
    }]],
    [{ document: { documentUrl: mediaUrl, fileName: "a.pdf" } }, ["document", null, {
      mediaUrl,
      mediaFilename: "a.pdf",
    }]],
    [{ listResponseMessage: { message: "Tarde", title: "Tarde", selectedRowId: "2" } }, [
      "option_list",
      "Tarde",
      { choice },
    ]],
    [{ buttonsResponseMessage: { buttonId: "2", message: "Tarde" } }, ["choice", "Tarde", {
      choice,
    }]],
  ];
  for (const [index, [content, expected]] of cases.entries()) {
    const message = { messageId: `IN${index}`, senderName: "Ana", momment: Date.now(), ...content };
    const answer = await client.receive(tenant, message);
    assertEquals([answer.status, answer.body.recorded], [200, 1]);
    const stored = (await client.messages(tenant)).at(-1);
    assertEquals(describe(stored), expect(expected));
    assertEquals([stored?.["direction"], stored?.["status"]], ["inbound", "received"]);
    assertEquals([stored?.["name"], stored?.["phone"]], ["Ana", phone]);
  }
});

Deno.test("Evolution: each kind of message is stored with its words, file and choice", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  const choice = { id: "2", title: "Tarde" };
  const reply = { title: "Tarde", singleSelectReply: { selectedRowId: "2" } };
  const buttons = { selectedButtonId: "2", selectedDisplayText: "Tarde" };
  const file = { mediaUrl };
  const cases: readonly (readonly [Record<string, unknown>, Expected])[] = [
    [{ conversation: "oi" }, ["text", "oi"]],
    [{ extendedTextMessage: { text: "https://a.b" } }, ["text", "https://a.b"]],
    [{ imageMessage: { caption: "foto" }, mediaUrl }, ["image", "foto", file]],
    [{ audioMessage: {}, mediaUrl }, ["audio", null, file]],
    [{ videoMessage: { caption: "filme" }, mediaUrl }, ["video", "filme", file]],
    [{ documentMessage: { fileName: "a.pdf" }, mediaUrl }, ["document", null, {
      ...file,
      mediaFilename: "a.pdf",
    }]],
    [{ listResponseMessage: reply }, ["option_list", "Tarde", { choice }]],
    [{ buttonsResponseMessage: buttons }, ["choice", "Tarde", { choice }]],
  ];
  for (const [index, [content, expected]] of cases.entries()) {
    const answer = await client.evolution(tenant, evolutionMessage(content, { id: `E${index}` }));
    assertEquals([answer.status, answer.body.recorded], [200, 1]);
    const stored = (await client.messages(tenant)).at(-1);
    assertEquals(describe(stored), expect(expected));
    assertEquals([stored?.["name"], stored?.["phone"]], ["Ana", phone]);
  }
});

Deno.test("official: each kind of message is stored with its words, choice and the id of its file", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const choice = { id: "2", title: "Tarde" };
  const media = { id: "1037543291543636", mime_type: "image/jpeg", sha256: "S=" };
  const file = { mediaId: media.id };
  const reply = (type: string): object => ({
    type: "interactive",
    interactive: { type, [type]: { ...choice, description: "13h" } },
  });
  const button = { payload: "2", text: "Tarde" };
  const cases: readonly (readonly [object, Expected])[] = [
    [{ type: "text", text: { body: "oi" } }, ["text", "oi"]],
    [{ type: "image", image: { ...media, caption: "foto" } }, ["image", "foto", file]],
    [{ type: "audio", audio: media }, ["audio", null, file]],
    [{ type: "video", video: media }, ["video", null, file]],
    [{ type: "document", document: { ...media, filename: "a.pdf", caption: "conta" } }, [
      "document",
      "conta",
      { ...file, mediaFilename: "a.pdf" },
    ]],
    [reply("list_reply"), ["option_list", "Tarde", {
      choice: { ...choice, description: "13h" },
    }]],
    [reply("button_reply"), ["choice", "Tarde", {
      choice: { ...choice, description: "13h" },
    }]],
    [{ type: "button", button, context: { id: "wamid.T" } }, ["choice", "Tarde", { choice }]],
    [{ type: "location", location: { latitude: -23.5, longitude: -46.6 } }, [
      "location",
      "[location] -23.5 -46.6",
      { location: { latitude: -23.5, longitude: -46.6 } },
    ]],
  ];
  const contacts = [{ profile: { name: "Ana" }, wa_id: phone }];
  for (const [index, [content, expected]] of cases.entries()) {
    const { text: _, ...base } = cloudText(`wamid.${index}`, "");
    const messages = [{ ...base, ...content }];
    const answer = await client.cloud(tenant, cloudPayload({ contacts, messages }));
    assertEquals([answer.status, answer.body.recorded], [200, 1]);
    const stored = (await client.messages(tenant)).at(-1);
    assertEquals(describe(stored), expect(expected));
    assertEquals([stored?.["name"], stored?.["phone"]], ["Ana", phone]);
  }
  const history = await client.history(tenant);
  assertEquals(
    history.body.conversation.map(({ content }: { content: string }) =>
      content.replace(/https:.*/, "<link>")
    ),
    ["oi", "foto\n<link>", "<link>", "<link>", "conta\n<link>", "Tarde", "Tarde", "Tarde"]
      .concat("[location] -23.5 -46.6"),
  );
  const raw = await client.history(tenant, { format: "raw" });
  const picture = (await client.messages(tenant))[1];
  assertEquals(raw.body.messages[1].mediaId, picture?.["media_id"]);
  const hidden = await client.history(tenant, { format: "raw", attachments: "false" });
  assertEquals(hidden.body.messages[1].mediaId, null);
});

Deno.test("a name is kept as it was first known, and a closed conversation opens again", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await client.receive(tenant, { messageId: "IN1", senderName: "Ana", text: { message: "oi" } });
  await client.stack.admin`update messaging.conversations set status = 'closed'`;
  await client.receive(tenant, { messageId: "IN2", senderName: "Bia", text: { message: "oi" } });
  const [contact] = await client.stack.admin`
    select c.name, c.origin, c.last_inbound_at, v.status from messaging.contacts c
    join messaging.conversations v on v.contact_id = c.id`;
  assertEquals([contact?.["name"], contact?.["origin"]], ["Ana", "inbound"]);
  assertEquals(contact?.["status"], "open");
  assert(contact?.["last_inbound_at"] !== null);
});

Deno.test("a group is marked, never answered, and what is typed in it pauses no agent", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const evolution = await client.createTenant({ provider: "evolution" });
  for (const { instanceId } of [tenant, evolution]) {
    await createAgent(client.stack.admin, instanceId);
  }
  const group = { phone: "120363019502650977-group", isGroup: true, chatName: "Família" };
  const text = { message: "alguém aí?" };
  await client.receive(tenant, { messageId: "G1", senderName: "Ana", ...group, text });
  await client.receive(tenant, { messageId: "G2", fromMe: true, fromApi: false, ...group, text });
  const inGroup = { remoteJid: "120363019502650977@g.us", participant: `${phone}@s.whatsapp.net` };
  await client.evolution(evolution, evolutionMessage({ conversation: "oi" }, inGroup));
  const stored = await client.messages(tenant);
  assertEquals(stored.map((row) => [row["is_group"], row["chat_name"], row["message"]]), [
    [true, "Família", "Ana: alguém aí?"],
    [true, "Família", "alguém aí?"],
  ]);
  assertEquals((await client.messages(evolution)).map((row) => row["is_group"]), [true]);
  const outbox = await client.stack.admin`select from messaging.outbox`;
  assertEquals(outbox.length, 0);
  assertEquals(await pausedUntil(client, tenant), undefined);
});

Deno.test("a reply typed on the phone enters the history as sent and pauses the agent for half an hour", async () => {
  await using client = await createWebhookClient();
  const zapi = await client.createTenant();
  const evolution = await client.createTenant({ provider: "evolution" });
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  for (const { instanceId } of [zapi, evolution, official]) {
    await createAgent(client.stack.admin, instanceId);
  }
  const text = { message: "Deixa comigo" };
  await client.receive(zapi, { messageId: "P1", fromMe: true, fromApi: false, text });
  await client.evolution(
    evolution,
    evolutionMessage({ conversation: "Deixa comigo" }, { fromMe: true, id: "P1" }),
  );
  const { from: _, ...message } = cloudText("P1", "Deixa comigo", { to: phone });
  await client.cloud(official, {
    object: "whatsapp_business_account",
    entry: [{
      changes: [{
        field: "smb_message_echoes",
        value: { message_echoes: [{ from: official.connectedPhone, ...message }] },
      }],
    }],
  });
  for (const tenant of [zapi, evolution, official]) {
    const history = await client.history(tenant);
    assertEquals(history.body.conversation.length, 1);
    const [item] = history.body.conversation;
    assertEquals([item.role, item.content, item.status], ["assistant", "Deixa comigo", "sent"]);
    assertHalfAnHour(await pausedUntil(client, tenant));
  }
});

Deno.test("what another program sends through the same Z-API instance enters the history, and pauses nobody", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await client.stack.admin`insert into messaging.ai_agents (instance_id, name, instructions, model)
    values (${tenant.instanceId}, 'A', 'B', 'c')`;
  const text = { message: "Sua fatura chegou" };
  for (const recorded of [1, 0]) {
    const told = await client.receive(tenant, {
      ...{ messageId: "P1", fromMe: true, fromApi: true, text },
    });
    assertEquals(told.body.recorded, recorded);
  }
  const [sent] = await client.messages(tenant);
  assertEquals([sent?.direction, sent?.message, sent?.["sent_by"]], [
    ...["outbound", text.message, "other_app"],
  ]);
  assertEquals(await pausedUntil(client, tenant), undefined);
});

Deno.test("the same provider message id on two instances is two messages", async () => {
  await using client = await createWebhookClient();
  const tenants = [await client.createTenant(), await client.createTenant()];
  for (const tenant of tenants) {
    const answer = await client.receive(tenant, { messageId: "IN1", text: { message: "oi" } });
    assertEquals(answer.body.recorded, 1);
    assertEquals((await client.messages(tenant)).length, 1);
  }
});

Deno.test("a message that is told again is kept, and waits for nobody who works with its contact", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const { admin } = client.stack;
  const told = { messageId: "IN1", text: { message: "oi" } };
  assertEquals((await client.receive(tenant, told)).body.recorded, 1);
  const isHeld = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const holding = admin.begin(async (sql) => {
    await sql`select from messaging.contacts where instance_id = ${tenant.instanceId} for update`;
    await sql`
      select pg_advisory_xact_lock(
        messaging.provider_message_lock_key(${tenant.instanceId}, 'IN1')
      )`;
    isHeld.resolve();
    await letGo.promise;
  });
  await isHeld.promise;
  try {
    const again = await client.receive(tenant, told);
    assertEquals([again.status, again.body.recorded], [200, 0]);
  } finally {
    letGo.resolve();
    await holding;
  }
  const [kept] = await admin<{ payloads: number; messages: number }[]>`
    select
      (select count(*) from messaging.provider_events
        where instance_id = ${tenant.instanceId})::integer as payloads,
      (select count(*) from messaging.messages
        where instance_id = ${tenant.instanceId})::integer as messages`;
  assertEquals(kept, { payloads: 2, messages: 1 });
});
