import { assertEquals } from "../../support/assert.ts";
import { acceptMessage, type DoubleRequest } from "../../support/doubles/http_double.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

type Json = Readonly<Record<string, unknown>>;
// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;
type TestTenant = Awaited<ReturnType<WebhookClient["createTenant"]>>;

const newPhone = "5521988887777";
const [oldId, newId, lastId] = ["BR.1A2B3C", "BR.4D5E6F", "BR.7A8B9C"];
const parent = "BR.ENT.99";
const username = "ana.silva";

/** A message with these ids of its sender, as the official channel tells it. */
function inbound(id: string, wa: string | undefined, userId: string, further: Json = {}): Json {
  const { username, ...ids } = further;
  return cloudPayload({
    contacts: [{
      profile: { name: "Ana", ...(username === undefined ? {} : { username }) },
      ...{ user_id: userId, wa_id: wa, ...ids },
    }],
    messages: [{ ...cloudText(id, "oi"), from: wa, from_user_id: userId }],
  });
}

function system(id: string, from: string | undefined, members: Json): Json {
  const base = { id, from, timestamp: `${Math.floor(Date.now() / 1_000)}`, type: "system" };
  return cloudPayload({ messages: [{ ...base, system: members }] });
}

function card(id: string, members: Json, shown: Json, context?: Json): Json {
  const text = cloudText(id, "");
  return cloudPayload({
    contacts: [{ profile: { name: "Ana" }, user_id: oldId }],
    messages: [{
      ...{ id, timestamp: text["timestamp"], type: "contacts", from_user_id: oldId, context },
      ...members,
      contacts: [{ phones: [{ phone: `+${phone}`, wa_id: phone }], ...shown }],
    }],
  });
}

/** One person's year: shown and hidden numbers, a parent id, a username, a card, three changes. */
const year: readonly Json[] = [
  inbound("IN1", phone, oldId),
  inbound("IN2", undefined, oldId, { username }),
  inbound("IN3", undefined, oldId, { parent_user_id: parent, username }),
  card("CARD", {}, { origin: "contact_request" }),
  system("SYS1", phone, {
    ...{ type: "user_changed_number", wa_id: newPhone },
    ...{ previous_user_id: oldId, user_id: newId },
  }),
  inbound("IN4", newPhone, newId, { username }),
  system("SYS2", undefined, {
    type: "user_changed_user_id",
    body: `User Ana changed from ${newId} to ${lastId}`,
  }),
  {
    object: "whatsapp_business_account",
    entry: [{
      id: "1",
      changes: [{
        field: "user_id_update",
        value: { user_id_update: [{ user_id: { previous: newId, current: lastId } }] },
      }],
    }],
  },
  inbound("IN5", undefined, lastId, { username, parent_user_id: parent }),
  {
    object: "whatsapp_business_account",
    entry: [{
      id: "1",
      changes: [{
        field: "smb_message_echoes",
        value: {
          contacts: [{ wa_id: newPhone, user_id: lastId }],
          message_echoes: [{
            ...{ id: "ECHO", from: "551140001234", to: newPhone, to_user_id: lastId },
            ...{ timestamp: cloudText("x", "y")["timestamp"], type: "text", text: { body: "Olá" } },
          }],
        },
      }],
    }],
  },
];

const everything = [
  ...[phone, newPhone].map((value) => `phone ${value}`),
  ...[oldId, newId, lastId].map((value) => `user_id ${value}`),
  `parent_user_id ${parent}`,
  `username ${username}`,
].sort();

async function identitiesOf(
  client: WebhookClient,
  { instanceId }: TestTenant,
): Promise<string[][]> {
  const rows = await client.stack.admin<{ identities: { kind: string; value: string }[] }[]>`
    select messaging.contact_identities(c) as identities from messaging.contacts c
    where c.instance_id = ${instanceId}`;
  return rows.map(({ identities }) =>
    identities.map(({ kind, value }) => `${kind} ${value}`).sort()
  );
}

/** A shuffle that a seed repeats. */
function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed;
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648);
  return items.map((item) => ({ item, place: next() })).sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

Deno.test("any order of the events of one person's year gives one contact with the same identities", async () => {
  await using client = await createWebhookClient();
  const orders = [
    year,
    year.toReversed(),
    ...Array.from({ length: 22 }, (_, n) => shuffle(year, n)),
  ];
  for (const [index, order] of orders.entries()) {
    const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
    for (const event of order) assertEquals((await client.cloud(tenant, event)).status, 200);
    assertEquals(await identitiesOf(client, tenant), [everything], `order ${index - 2}`);
  }
});

Deno.test("the events of one person's year at the same time give one contact with the same identities", async () => {
  await using client = await createWebhookClient();
  for (let round = 0; round < 6; round++) {
    const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
    const answers = await Promise.all(
      shuffle(year, 100 + round).map((event) => client.cloud(tenant, event)),
    );
    assertEquals(answers.map(({ status }) => status), year.map(() => 200));
    assertEquals(await identitiesOf(client, tenant), [everything], `round ${round}`);
  }
});

/** One step of a person's year: something that happens to the tenant's instance. */
type Step = (client: WebhookClient, tenant: TestTenant) => Promise<{ readonly status: number }>;

const withoutNinth = phone.replace(/^55(..)9/, "55$1");
const lid = "81896604192873@lid";

const sendTo = (address: Json, message: string): Step => ({ stack }, tenant) =>
  stack.send(tenant, { ...address, messageType: "text", message });

/** The year, and sends in both spellings and by a user id: the channel's answers show the number. */
const officialYear: readonly Step[] = [
  ...year.map((event): Step => (client, tenant) => client.cloud(tenant, event)),
  sendTo({ phone: withoutNinth }, "um"),
  sendTo({ phone }, "dois"),
  sendTo({ userId: oldId }, "três"),
];

const zapi = (id: string, members: Json): Step => (client, tenant) =>
  client.receive(tenant, { messageId: id, text: { message: "oi" }, ...members });

/** A person whom a gateway shows by the number, by a LID, or by both. */
const gatewayYear: readonly Step[] = [
  zapi("IN1", { phone: lid }),
  zapi("IN2", { phone: withoutNinth }),
  zapi("IN3", { senderLid: lid }),
  zapi("IN4", { phone: lid }),
  zapi("ECHO", { fromMe: true, chatLid: lid }),
  sendTo({ phone: withoutNinth }, "um"),
  sendTo({ phone }, "dois"),
];

/** The official channel's answer names the address as it knows it: with the ninth digit. */
function answerInFull(request: DoubleRequest): Response {
  const to = request.json["to"];
  if (!request.path.endsWith("/messages") || typeof to !== "string") return acceptMessage(request);
  const known = to.replace(/^55(..)(?=\d{8}$)/, "55$19");
  return Response.json({
    messaging_product: "whatsapp",
    contacts: [{ input: to, wa_id: known }],
    messages: [{ id: crypto.randomUUID() }],
  });
}

const years = [
  ["whatsapp_cloud", officialYear, everything],
  ["zapi", gatewayYear, [`lid ${lid}`, `phone ${phone}`]],
] as const;

for (const [provider, steps, identities] of years) {
  Deno.test(`any order of a person's events and of what is sent to it gives one contact: ${provider}`, async () => {
    await using client = await createWebhookClient();
    client.stack.provider.answer = answerInFull;
    for (let seed = 0; seed < 8; seed++) {
      const tenant = await client.createTenant({ provider });
      for (const step of shuffle(steps, 200 + seed)) {
        assertEquals((await step(client, tenant)).status, 200);
      }
      assertEquals(await identitiesByKey(client, tenant), [identities], `seed ${seed}`);
    }
  });

  Deno.test(`a person's events and what is sent to it at the same time give one contact: ${provider}`, async () => {
    await using client = await createWebhookClient();
    client.stack.provider.answer = answerInFull;
    for (let seed = 0; seed < 3; seed++) {
      const tenant = await client.createTenant({ provider });
      const answers = await Promise.all(
        shuffle(steps, 300 + seed).map((step) => step(client, tenant)),
      );
      assertEquals(answers.map(({ status }) => status), steps.map(() => 200));
      assertEquals(await identitiesByKey(client, tenant), [identities], `seed ${seed}`);
    }
  });
}

/** As identitiesOf, with both spellings of a number as one. */
async function identitiesByKey(client: WebhookClient, tenant: TestTenant): Promise<string[][]> {
  const contacts = await identitiesOf(client, tenant);
  return contacts.map((identities) =>
    identities.map((identity) => identity === `phone ${withoutNinth}` ? `phone ${phone}` : identity)
      .sort()
  );
}

Deno.test("the card that answers a contact request proves the number, a forwarded one never does", async () => {
  await using client = await createWebhookClient();
  const proven = `phone ${phone}`;
  const cases: readonly (readonly [Json, boolean])[] = [
    [card("C", {}, { origin: "contact_request" }), true],
    [card("C", { origin: "contact_request" }, {}), true],
    [card("C", {}, { origin: "other" }), false],
    [card("C", {}, {}), false],
    [card("C", {}, { origin: "contact_request" }, { forwarded: true }), false],
    [card("C", {}, { origin: "contact_request" }, { frequently_forwarded: true }), false],
  ];
  for (const [payload, isProof] of cases) {
    const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
    await client.cloud(tenant, payload);
    const [identities = []] = await identitiesOf(client, tenant);
    assertEquals(identities, isProof ? [proven, `user_id ${oldId}`] : [`user_id ${oldId}`]);
  }
});

Deno.test("a username that passes to another person merges nobody", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.cloud(tenant, inbound("IN1", undefined, oldId, { username }));
  await client.cloud(tenant, inbound("IN2", undefined, newId, { username }));
  await client.cloud(tenant, inbound("IN3", undefined, oldId, { username: "ana.s" }));
  assertEquals(
    (await identitiesOf(client, tenant)).sort(),
    [
      [`user_id ${newId}`, `username ${username}`],
      [`user_id ${oldId}`, "username ana.s"],
    ].sort(),
  );
});

Deno.test("a contact request asks for the number on the official channel alone", async () => {
  await using client = await createWebhookClient();
  const request = { messageType: "contact_request", message: "Qual é o seu número?" };
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const sent = await client.stack.send(official, { userId: oldId, ...request });
  assertEquals([sent.status, sent.body.status], [200, "sent"]);
  const [json] = client.stack.provider.requests.map(({ json }) => json);
  assertEquals([json?.["recipient"], json?.["type"], json?.["interactive"]], [
    oldId,
    "interactive",
    {
      type: "request_contact_info",
      body: { text: request.message },
      action: { name: "request_contact_info" },
    },
  ]);
  const gateway = await client.createTenant();
  const refused = await client.stack.send(gateway, { phone, ...request });
  assertEquals([refused.status, refused.body.error], [400, "unsupported_on_channel"]);
});

Deno.test("a changed user id is told once, in however many places, and the new one is shown", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.cloud(tenant, inbound("IN1", phone, oldId, { username: "@Ana.Silva" }));
  const change = { type: "user_changed_user_id", user_id: newId };
  const beside = system("SYS1", undefined, change);
  const [message] = (beside as Body).entry[0].changes[0].value.messages;
  message.from_user_id = oldId;
  const field = (previous: string, current: string): Json => ({
    entry: [{
      id: "1",
      changes: [{
        field: "user_id_update",
        value: { user_id_update: [{ user_id: { previous, current } }] },
      }],
    }],
  });
  for (const payload of [beside, beside, field(oldId, newId), field(newId, lastId), beside]) {
    await client.cloud(tenant, payload);
  }
  await client.cloud(tenant, inbound("IN2", phone, lastId, { username: "ana.silva" }));
  const { body } = await client.stack.request("/events-api/events?after=oldest", {
    headers: { "x-client-token": tenant.token },
  });
  const told = body.items.filter(({ type }: Body) => type === "contact.identity_changed");
  const [contact] = await client.stack.admin`select id from messaging.contacts`;
  const person = {
    ...{ contactId: contact?.["id"], phone, name: "Ana", username: "ana.silva" },
    reason: "user_id_changed",
  };
  assertEquals(told.map(({ data }: Body) => data), [
    { ...person, previousUserId: oldId, userId: newId },
    { ...person, previousUserId: newId, userId: lastId },
  ]);
  assertEquals(body.items.filter(({ type }: Body) => type === "contact.created").length, 1);
  const last = body.items.at(-1).data.contact;
  assertEquals([last.userId, last.username], [lastId, "ana.silva"]);
});

Deno.test("a number that changes is kept where only the former user id is told", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.cloud(tenant, inbound("IN1", phone, oldId));
  const change = system("SYS1", undefined, { type: "user_changed_number", wa_id: newPhone });
  (change as Body).entry[0].changes[0].value.messages[0].from_user_id = oldId;
  assertEquals((await client.cloud(tenant, change)).body.recorded, 1);
  assertEquals(await identitiesOf(client, tenant), [
    [`phone ${phone}`, `phone ${newPhone}`, `user_id ${oldId}`].sort(),
  ]);
});

Deno.test("a status that tells a parent user id makes its recipient's identities known, and joins whom they were two contacts of", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.cloud(tenant, inbound("IN1", undefined, oldId));
  const { body: sent } = await client.stack.send(tenant, {
    ...{ phone, messageType: "text", message: "oi" },
  });
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  const status = { id: sent.providerMessageId, status: "delivered", timestamp };
  const tell = (members: Json): Promise<unknown> =>
    client.cloud(tenant, cloudPayload({ statuses: [{ ...status, ...members }] }));
  const read = async (): Promise<unknown[]> => [
    ...await client.stack.admin`
      select c.phone, (
        select array_agg(a.address order by a.address) from messaging.contact_addresses a
        where a.contact_id = c.id
      ) as addresses
      from messaging.contacts c where c.merged_into is null order by c.phone`,
  ];
  // A person whom no contact is known for becomes none.
  await tell({
    recipient_id: newPhone,
    recipient_user_id: newId,
    recipient_parent_user_id: "BR.ENT.1",
  });
  assertEquals((await read()).length, 2);
  const recipient = { recipient_id: phone, recipient_user_id: oldId };
  await tell({ ...recipient, parent_recipient_user_id: parent });
  assertEquals(await read(), [{ phone, addresses: [oldId, parent, phone].toSorted() }]);
});
