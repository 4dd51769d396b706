/** Coexistence: what was said before the number was connected is imported, and nothing follows from it. */

import { assert, assertEquals } from "../../support/assert.ts";
import { createAgent, type Tenant } from "../../support/fixtures/tenant.ts";
import { readFeed } from "./channels.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  type Delivered,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;
type Json = Record<string, unknown>;

const own = "15550783881";
const hourMs = 3_600_000;

function ago(hours: number): string {
  return String(Math.floor((Date.now() - hours * hourMs) / 1_000));
}

async function deliver(
  client: WebhookClient,
  tenant: Tenant,
  field: string,
  value: Json,
): Promise<void> {
  const metadata = { display_phone_number: own, phone_number_id: tenant.gatewayInstanceId };
  const changes = [{ field, value: { messaging_product: "whatsapp", metadata, ...value } }];
  const { status, body } = await client.cloud(tenant, {
    object: "whatsapp_business_account",
    entry: [{ id: "102290129340398", changes }],
  });
  assertEquals(
    status,
    200,
    JSON.stringify([body, client.stack.logLines.filter(({ level }) => level === "error")]),
  );
}

/** A chunk of the history with one thread, as Meta documents it. */
function chunk(messages: readonly Json[], metadata: Json = {}): Json {
  return {
    history: [{
      metadata: { phase: 0, chunk_order: 1, progress: 55, ...metadata },
      threads: [{ id: phone, messages }],
    }],
  };
}

function theirs(id: string, hours: number, more: Json = {}): Json {
  return {
    ...{ from: phone, id, timestamp: ago(hours), type: "text", text: { body: id } },
    ...{ history_context: { status: "READ" }, ...more },
  };
}

function ours(id: string, hours: number, status: string): Json {
  const history_context = { from_me: true, status };
  return { ...theirs(id, hours, { history_context }), from: own, to: phone };
}

async function createOfficial(client: WebhookClient): Promise<Tenant> {
  return await client.createTenant({ provider: "whatsapp_cloud" });
}

async function readInstance(client: WebhookClient, tenant: Tenant): Promise<Body> {
  const [found] = await client.stack.admin`
    select messaging.describe_instance(i) as instance from messaging.instances i
    where i.id = ${tenant.instanceId}
  `;
  return found?.["instance"].historyImport;
}

async function list(client: WebhookClient, tenant: Tenant): Promise<Body[]> {
  const { body } = await client.stack.messages(tenant, "GET", "/messages?limit=100");
  return body.items;
}

Deno.test("imported messages stand in record, list, raw history and export at their own instants, and no event tells them", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  // The later chunk comes first, and both come twice.
  const [first, second] = [
    chunk([theirs("OLD", 50), ours("ANSWER", 49, "delivered")], { chunk_order: 1 }),
    chunk([theirs("NEWER", 30)], { chunk_order: 2, progress: 100, phase: 2 }),
  ];
  for (const part of [second, first, second, first]) await deliver(client, tenant, "history", part);
  const items = await list(client, tenant);
  assertEquals(
    items.map(({ message, isImported, status }: Body) => [message, isImported, status]).toSorted(),
    [["ANSWER", true, "delivered"], ["NEWER", true, "received"], ["OLD", true, "received"]],
  );
  assertEquals(await readFeed(client, tenant), []);
  const raw = await client.history(tenant, { format: "raw", start: day(60), end: day(0) });
  assertEquals(
    raw.body.messages.map(({ providerMessageId, isImported, isTypedOnPhone }: Body) => [
      ...[providerMessageId, isImported, isTypedOnPhone],
    ]),
    [["OLD", true, false], ["ANSWER", true, true], ["NEWER", true, false]],
  );
  const contactId = items[0].contactId;
  const exported = await client.stack.request(
    `/contacts-api/contacts/${contactId}/export?instanceId=${tenant.instanceId}`,
    { headers: { "x-client-token": tenant.token } },
  );
  assertEquals(exported.body.messages.map(({ isImported }: Body) => isImported), [
    true,
    true,
    true,
  ]);
  const { status, phase, progress, error } = await readInstance(client, tenant);
  assertEquals([status, phase, progress, error], ["complete", 2, 100, null]);
});

function day(hours: number): string {
  return new Date(Date.now() - hours * hourMs).toISOString().slice(0, 10);
}

Deno.test("an import pauses no agent, obeys no keyword, and opens the window only by its own instant", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  await createAgent(client.stack.admin, tenant.instanceId);
  const reaction = { type: "reaction", reaction: { message_id: "SAIR", emoji: "👍" } };
  await deliver(
    client,
    tenant,
    "history",
    chunk([theirs("SAIR", 30), ours("EU", 20, "read"), theirs("R", 3, reaction)]),
  );
  const read = async (): Promise<Body> => {
    const [item] = await list(client, tenant);
    const { body } = await client.stack.request(`/contacts-api/contacts/${item.contactId}`, {
      headers: { "x-client-token": tenant.token },
    });
    return body;
  };
  const old = await read();
  assertEquals(
    [old.consent.marketing, old.window.isOpen, old.aiAgentPausedUntil],
    ["unknown", false, null],
  );
  const asked = await client.stack.admin`select from messaging.outbox`;
  assertEquals(asked.length, 0);
  await deliver(client, tenant, "history", chunk([theirs("HOJE", 2), theirs("OLDER", 90)]));
  const recent = await read();
  assertEquals(recent.window.isOpen, true);
  const sinceMs = Date.now() - Date.parse(recent.conversation.lastMessageAt);
  assert(Math.abs(sinceMs - 2 * hourMs) < hourMs, recent.conversation.lastMessageAt);
});

Deno.test("`from` says who wrote an imported message and the thread whose it is, with `to` beside it or not", async () => {
  await using client = await createWebhookClient();
  const phones = ["5511977770001", "551188880002"];
  // Who of a user id's thread is we, only our own number tells.
  const cases = [
    { people: [...phones, "BR.13491208655302741918"], beside: {} },
    { people: phones, beside: { metadata: null } },
  ];
  for (const { people, beside } of cases) {
    for (const namesTo of [true, false]) {
      const tenant = await createOfficial(client);
      const write = (id: string, from: string, to: string): Json => ({
        ...theirs(id, 20),
        ...{ from, ...(namesTo ? { to } : {}) },
      });
      const threads = people.map((id) => {
        // In messages the second person's number has its ninth digit.
        const person = id.replace(phones[1]!, "5511988880002");
        return { id, messages: [write(`Q ${id}`, person, own), write(`A ${id}`, own, person)] };
      });
      await deliver(client, tenant, "history", { history: [{ threads }], ...beside });
      const rows = await client.stack.admin<Body[]>`
        select m.direction, m.message, (
          select string_agg(a.address, ' ') from messaging.contact_addresses a
          where a.contact_id = m.contact_id
        ) as addresses
        from messaging.messages m where m.instance_id = ${tenant.instanceId} order by m.message`;
      assertEquals(
        rows.map(({ direction, message, addresses }) => [message, direction, addresses]),
        people.flatMap((id) => [[`A ${id}`, "outbound", id], [`Q ${id}`, "inbound", id]])
          .toSorted(([one], [other]) => one! < other! ? -1 : 1),
      );
    }
  }
});

Deno.test("an imported message that had failed did so when it was written", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  await deliver(
    client,
    tenant,
    "history",
    chunk([ours("LOST", 40, "error"), ours("SENT", 30, "sent"), theirs("WRITTEN", 20)]),
  );
  const items = (await list(client, tenant))
    .map(({ providerMessageId, status, failedAt, sentAt }: Body) => [
      ...[providerMessageId, status, failedAt === null ? null : failedAt === sentAt],
    ]);
  assertEquals(items.toSorted(), [
    ...[["LOST", "failed", true], ["SENT", "sent", null], ["WRITTEN", "received", null]],
  ]);
});

Deno.test("a message that both came live and is imported is one, and the live one stays", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  await client.cloud(tenant, cloudPayload({ messages: [cloudText("M1", "Oi")] }));
  await deliver(client, tenant, "history", chunk([theirs("M1", 1), theirs("M2", 2)]));
  const messages = await list(client, tenant);
  assertEquals(
    messages.map(({ providerMessageId, isImported }: Body) => [providerMessageId, isImported])
      .toSorted(),
    [["M1", undefined], ["M2", true]],
  );
  assertEquals((await readFeed(client, tenant)).length, 1);
});

Deno.test("a left-out file is completed by its own webhook, once", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const placeholder = { from: phone, id: "P1", timestamp: ago(5), type: "media_placeholder" };
  await deliver(client, tenant, "history", chunk([placeholder]));
  const [before] = await list(client, tenant);
  assertEquals([before.message, before.unsupportedType], ["[media]", "media_placeholder"]);
  const image = { id: "24230790383178626", mime_type: "image/jpeg", caption: "A loja" };
  const complete = {
    messages: [{ from: phone, id: "P1", timestamp: ago(5), type: "image", image }],
  };
  for (const part of [complete, chunk([placeholder]), complete]) {
    await deliver(client, tenant, "history", part);
  }
  const [after, ...more] = await list(client, tenant);
  assertEquals(more, []);
  assertEquals(
    [after.messageType, after.message, after.isImported, after.unsupportedType],
    ["image", "A loja", true, undefined],
  );
  assertEquals(typeof after.mediaId, "string");
});

Deno.test("a business that shares no history says so, and may share it later", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const details = "History sharing is turned off by the business";
  const declined = { history: [{ errors: [{ code: 2593109, error_data: { details } }] }] };
  await deliver(client, tenant, "history", declined);
  const { status, error } = await readInstance(client, tenant);
  assertEquals([status, error], ["declined", { code: "2593109", message: details }]);
  await deliver(client, tenant, "history", chunk([theirs("M1", 3)]));
  assertEquals((await readInstance(client, tenant)).status, "running");
});

Deno.test("the phone's address book names contacts: added, changed and removed, the newest by the phone's clock", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const sync = (
    action: string,
    full_name: string | undefined,
    timestamp: number,
  ): Promise<void> => {
    const contact = { phone_number: phone, ...(full_name === undefined ? {} : { full_name }) };
    const entry = { type: "contact", contact, action, metadata: { timestamp: String(timestamp) } };
    return deliver(client, tenant, "smb_app_state_sync", { state_sync: [entry] });
  };
  const read = async (): Promise<Body> => {
    const { body } = await client.stack.request(`/contacts-api/contacts?phone=${phone}`, {
      headers: { "x-client-token": tenant.token },
    });
    return body.items[0];
  };
  await sync("add", "Ana Souza", 1_700_000_000);
  assertEquals([(await read()).name, (await read()).origin], ["Ana Souza", "address_book"]);
  await sync("add", "Ana Lima", 1_700_000_200);
  await sync("add", "Ana Velha", 1_700_000_100);
  assertEquals((await read()).name, "Ana Lima");
  await sync("remove", undefined, 1_700_000_300);
  assertEquals((await read()).name, "Ana Lima");
  const { contactId } = await read();
  const renamed = await client.stack.request("/contacts-api/update", {
    method: "POST",
    headers: { "x-client-token": tenant.token, "content-type": "application/json" },
    body: JSON.stringify({ instanceId: tenant.instanceId, contactId, name: "Dra. Ana" }),
  });
  assertEquals(renamed.status, 200);
  await sync("add", "Ana de novo", 1_700_000_400);
  assertEquals((await read()).name, "Dra. Ana", "a name that a call gave stays");
});

Deno.test("Z-API tells the sender's picture with each message, which replaces the stored one weekly at most", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const write = async (messageId: string, senderPhoto: string | null): Promise<string | null> => {
    await client.receive(tenant, { messageId, text: { message: "Oi" }, senderPhoto });
    const { body } = await client.stack.request(`/contacts-api/contacts?phone=${phone}`, {
      headers: { "x-client-token": tenant.token },
    });
    return body.items[0].profilePictureUrl;
  };
  const [first, second] = ["https://pps.whatsapp.net/a", "https://pps.whatsapp.net/b"];
  assertEquals(await write("M1", first ?? ""), first);
  assertEquals([await write("M2", second ?? ""), await write("M3", null)], [first, first]);
  await client.stack.admin`
    update messaging.contacts set profile_picture_at = now() - interval '8 days'
  `;
  assertEquals(await write("M4", second ?? ""), second);
});

Deno.test("Evolution's contacts.update tells a profile's name and picture, the picture weekly at most", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  const tell = (data: Json): Promise<Delivered> =>
    client.evolution(tenant, { event: "contacts.update", data: [data] });
  const remoteJid = `${phone}@s.whatsapp.net`;
  const picture = (name: string): string => `https://pps.whatsapp.net/${name}.jpg`;
  const read = async (): Promise<Body> => {
    const { body } = await client.stack.request(`/contacts-api/contacts?phone=${phone}`, {
      headers: { "x-client-token": tenant.token },
    });
    return body.items[0];
  };
  await tell({ remoteJid, pushName: "Estranha" });
  assertEquals(await read(), undefined, "the phone's address book makes no contact");
  const message = { conversation: "Oi" };
  await client.evolution(tenant, {
    event: "messages.upsert",
    data: { key: { remoteJid, fromMe: false, id: "E1" }, pushName: "Bia", message },
  });
  await tell({ remoteJid, pushName: "Bia Melo", profilePicUrl: picture("a") });
  assertEquals([(await read()).name, (await read()).profilePictureUrl], ["Bia Melo", picture("a")]);
  await tell({ remoteJid, profilePicUrl: picture("b") });
  assertEquals((await read()).profilePictureUrl, picture("a"));
  await client.stack
    .admin`update messaging.contacts set profile_picture_at = now() - interval '8 days'`;
  await tell({ remoteJid, profilePicUrl: picture("b") });
  assertEquals((await read()).profilePictureUrl, picture("b"));
});
