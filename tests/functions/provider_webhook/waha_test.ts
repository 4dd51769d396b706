/** WAHA at its webhook's address: the signature, duplicates, whose message it is, its session and its files. */
import { assert, assertEquals } from "../../support/assert.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { wahaEvent, wahaMessage, webhookKey } from "../../support/providers/waha/facts.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { signWahaBody } from "../../../supabase/local/simulator/waha/webhook.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { readFeed } from "./channels.ts";
import {
  createWebhookClient,
  type Delivered,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

const chat = `${phone}@c.us`;
const lid = "81896604192873@lid";
const ownChat = "551140001234@c.us";

/** An instance, whose tenant's configuration names its session. */
function createTenant(client: WebhookClient): Promise<Tenant> {
  return client.createTenant({ provider: "waha" });
}

function tell(
  client: WebhookClient,
  tenant: Tenant,
  event: string,
  payload: unknown,
  members: object = {},
): Promise<Delivered> {
  return client.tell("waha", tenant, wahaEvent(event, payload, members as Body));
}

Deno.test("WAHA: the page's example of a signature is ours", async () => {
  const body = new TextEncoder().encode('{"event":"message","session":"default","engine":"WEBJS"}');
  assertEquals(
    await signWahaBody(body, "my-secret-key"),
    "208f8a55dde9e05519e898b10b89bf0d0b3b0fdf11fdbf09b6b90476301b98d8097c462b2b17a6ce93b6b47a136cf2e78a33a63f6752c2c1631777076153fa89",
  );
});

Deno.test("WAHA: a delivery is taken with the signature of its very bytes alone, else 401 and nothing stored", async () => {
  await using client = await createWebhookClient();
  const tenant = await createTenant(client);
  const { path, body, headers } = await factsOf.waha.toRequest(
    tenant.instanceId,
    factsOf.waha.toText("M1", "Olá"),
  );
  const right = headers["x-webhook-hmac"] ?? "";
  const other = body.slice();
  other[other.length - 2] = (other.at(-2) ?? 0) ^ 1;
  const spaced = new TextEncoder().encode(` ${new TextDecoder().decode(body)}`);
  const wrong: readonly (readonly [string, Uint8Array<ArrayBuffer>, Record<string, string>])[] = [
    ["no signature", body, {}],
    ["an empty one", body, { "x-webhook-hmac": "" }],
    ["that of another key", body, { "x-webhook-hmac": await signWahaBody(body, `${webhookKey}x`) }],
    ["a shorter one", body, { "x-webhook-hmac": right.slice(0, -2) }],
    ["one with a prefix", body, { "x-webhook-hmac": `sha512=${right}` }],
    ["that of other bytes", other, headers as Record<string, string>],
    ["that of the same JSON in other bytes", spaced, headers as Record<string, string>],
    ["another algorithm", body, { "x-webhook-hmac": right, "x-webhook-hmac-algorithm": "sha256" }],
  ];
  for (const [what, bytes, given] of wrong) {
    const answer = await client.deliver(path, bytes, given);
    assertEquals([answer.status, answer.body.error], [401, "invalid_webhook_signature"], what);
  }
  assertEquals((await client.messages(tenant)).length, 0);
  assertEquals((await client.deliver(path, body, { "x-webhook-hmac": right })).body.recorded, 1);
  const upper = { "x-webhook-hmac": right.toUpperCase(), "x-webhook-hmac-algorithm": "SHA512" };
  assertEquals((await client.deliver(path, body, upper)).body.recorded, 0, "the same event again");
  const stranger = await client.deliver(
    path.replace(tenant.instanceId, crypto.randomUUID()),
    body,
    {
      "x-webhook-hmac": right,
    },
  );
  assertEquals(stranger.status, 401);
});

Deno.test("WAHA: one message told as `message` and `message.any`, as phone and as hidden identity, is one of one contact", async () => {
  for (const first of [chat, lid]) {
    await using client = await createWebhookClient();
    const tenant = await createTenant(client);
    const message = (from: string): object =>
      wahaMessage("3EB0TWICE", {
        ...{ from, id: `false_${from}_3EB0TWICE`, pn: chat, body: "Oi" },
        _data: { key: { remoteJid: from, remoteJidAlt: lid } },
      });
    const other = first === chat ? lid : chat;
    const told: readonly (readonly [string, string, number])[] = [
      ["message", first, 1],
      ["message.any", first, 0],
      ["message", other, 0],
      ["message.any", other, 0],
    ];
    for (const [event, from, recorded] of told) {
      const { body } = await tell(client, tenant, event, message(from));
      assertEquals(body.recorded, recorded, `${event} ${from}`);
    }
    assertEquals((await client.messages(tenant)).length, 1);
    assertEquals(
      (await client.stack.admin`select phone from messaging.contacts`).map(
        ({ phone }) => phone,
      ),
      [phone],
    );
  }
});

Deno.test("WAHA: a message that is told as hidden identity alone, and by its phone later, is one", async () => {
  await using client = await createWebhookClient();
  const tenant = await createTenant(client);
  const message = (from: string): object =>
    wahaMessage("3EB0TWICE", { from, id: `false_${from}_3EB0TWICE`, body: "Oi" });
  assertEquals((await tell(client, tenant, "message", message(lid))).body.recorded, 1);
  assertEquals((await tell(client, tenant, "message", message(chat))).body.recorded, 0);
  assertEquals((await client.messages(tenant)).length, 1);
});

Deno.test("WAHA: words typed on the phone stand in the contact's history and pause the agent; those of the API are the sender's", async () => {
  await using client = await createWebhookClient();
  const tenant = await createTenant(client);
  await tell(client, tenant, "message", wahaMessage("IN1", { body: "Oi" }));
  const own = (id: string, members: object): object =>
    wahaMessage(id, {
      ...{ id: `true_${chat}_${id}`, fromMe: true, from: ownChat, to: chat, ...members },
    });
  await tell(client, tenant, "message.any", own("OUT1", { body: "Já saiu", source: "app" }));
  await tell(client, tenant, "message.any", own("OUT2", { body: "Promoção", source: "api" }));
  const rows = await client.messages(tenant);
  assertEquals(rows.map((row) => [row["direction"], row["sent_by"], row["phone"]]), [
    ["inbound", null, phone],
    ["outbound", "phone", phone],
    ["outbound", "other_app", phone],
  ]);
  const toItself = own("OUT3", { body: "nota", id: `true_${ownChat}_OUT3`, to: ownChat });
  assertEquals((await tell(client, tenant, "message.any", toItself)).body.recorded, 0);
});

Deno.test("WAHA: a send whose answer was empty is unconfirmed, and its event confirms it with the id that statuses have", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await createTenant(client);
  stack.provider.answer = () => new Response(null, { status: 201 });
  const sent = await stack.send(tenant, { phone, messageType: "text", message: "Confirmado" });
  assertEquals([sent.status, sent.body.error], [504, "provider_outcome_unknown"]);
  const id = `true_${lid}_3EB0LOST`;
  const echo = { id, fromMe: true, from: ownChat, to: lid, pn: chat, source: "api" };
  await tell(client, tenant, "message.any", wahaMessage("", { ...echo, body: "Confirmado" }));
  await tell(client, tenant, "message.ack", { id: `true_${chat}_3EB0LOST`, fromMe: true, ack: 3 });
  const rows = await client.messages(tenant);
  assertEquals(rows.map((row) => [row["status"], row["provider_message_id"]]), [
    ["read", "3EB0LOST"],
  ]);
});

Deno.test("WAHA: 463 refuses this person's message for good, and holds nobody else's", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await createTenant(client);
  const exception = { message: "2 UNKNOWN: server returned error 463", code: 2 };
  stack.provider.answer = () => Response.json({ statusCode: 500, exception }, { status: 500 });
  const text = { phone, messageType: "text", message: "Olá" };
  const refused = await stack.send(tenant, text);
  assertEquals([refused.status, refused.body.error, refused.body.retryable], [
    ...[409, "new_chat_locked", false],
  ]);
  const { body: health } = await stack.messages(tenant, "GET", "/health");
  assertEquals(health.status, "ok");
  stack.provider.answer = () => Response.json({ key: { id: "3EB0OK" } }, { status: 201 });
  assertEquals((await stack.send(tenant, { ...text, phone: "5511900000001" })).status, 200);
});

Deno.test("WAHA: a session that is lost stops the queue, a lock on new chats does not and is told", async () => {
  await using client = await createWebhookClient();
  const tenant = await createTenant(client);
  const health = async (): Promise<Body> =>
    (await client.stack.messages(tenant, "GET", "/health")).body;
  let at = Date.now();
  const status = (word: string, data: unknown = null): Promise<Delivered> =>
    tell(client, tenant, "session.status", { name: "s", status: word, data }, {
      ...{ timestamp: at++, me: { id: `${tenant.connectedPhone}@c.us` } },
    });
  await status("SCAN_QR_CODE");
  const lost = await health();
  assertEquals([lost.status, lost.connection.reason], ["disconnected", "SCAN_QR_CODE"]);
  await status("STARTING");
  assertEquals((await health()).status, "disconnected");
  await status("WORKING");
  assertEquals((await health()).status, "ok");
  const reachoutTimelock = { isActive: true, timeEnforcementEnds: 1784477333 };
  await status("WORKING", { reachoutTimelock });
  assertEquals((await health()).status, "ok");
  const told = await client.stack.admin`
    select type, data->>'reason' as reason from messaging.events
    where instance_id = ${tenant.instanceId} and type like 'instance.%' order by sequence`;
  assertEquals(told.map(({ type, reason }) => [type, reason]), [
    ["instance.disconnected", "SCAN_QR_CODE"],
    ["instance.connected", null],
    ["instance.limit_changed", "REACHOUT_TIMELOCK"],
  ]);
});

Deno.test("WAHA: the lock on new chats and their quota stand in the allowance, and are told as they change", async () => {
  await using client = await createWebhookClient();
  const tenant = await createTenant(client);
  let at = Date.now();
  const endS = Math.floor(at / 1_000) + 86_400;
  const until = new Date(endS * 1_000).toISOString();
  const told = async (data: unknown): Promise<Body> => {
    await tell(client, tenant, "session.status", { name: "s", status: "WORKING", data }, {
      ...{ timestamp: at++, me: { id: `${tenant.connectedPhone}@c.us` } },
    });
    const { allowance } = (await client.stack.messages(tenant, "GET", "/health")).body;
    const times = (part: Body): Body =>
      part?.until ? { ...part, until: new Date(part.until).toISOString() } : part;
    return [times(allowance.newChats), times(allowance.timeLock)];
  };
  const lock = { isActive: true, timeEnforcementEnds: endS, enforcementType: "DEFAULT" };
  const locked = { isActive: true, until, kind: "DEFAULT" };
  assertEquals(await told({ reachoutTimelock: lock }), [null, locked]);
  assertEquals(await told({ reachoutTimelock: lock }), [null, locked]);
  const capping = { cappingStatus: "NONE", totalQuota: 100, usedQuota: 7, cycleEnd: endS };
  assertEquals(await told({ messageCapping: capping }), [{ used: 7, quota: 100, until }, locked]);
  const more = { messageCapping: { ...capping, usedQuota: 8 } };
  assertEquals((await told(more))[0], { used: 8, quota: 100, until });
  const ended = { messageCapping: { ...capping, cycleEnd: endS - 172_800 } };
  assertEquals((await told(ended))[0], { used: null, quota: 100, until: null }, "begun anew");
  const placeholder = { totalQuota: 0, mvStatus: "NOT_ELIGIBLE", oteStatus: "NOT_ELIGIBLE" };
  assertEquals((await told({ messageCapping: placeholder }))[0]?.quota, 100);
  assertEquals((await told({ messageCapping: null, reachoutTimelock: null }))[0]?.quota, 100);
  const used = { ...capping, totalQuota: 0, mvStatus: "NOT_ELIGIBLE", oteStatus: "CAPPED" };
  assertEquals((await told({ messageCapping: used }))[0]?.quota, 0);
  assertEquals(await told({ messageCapping: { ...capping, totalQuota: -1 } }), [null, locked]);
  const past = { ...lock, timeEnforcementEnds: endS - 172_800 };
  assertEquals((await told({ reachoutTimelock: past }))[1].isActive, false, "its end has passed");
  const events = await client.stack.admin`
    select data->>'reason' as reason, data->'allowance' as allowance from messaging.events
    where instance_id = ${tenant.instanceId} and type = 'instance.limit_changed'
    order by sequence`;
  assertEquals(events.map(({ reason, allowance }) => [reason, allowance.newChats?.quota]), [
    ...[["REACHOUT_TIMELOCK", undefined], ["MESSAGE_CAPPING_NONE", 100]],
    ["MESSAGE_CAPPING_NONE", 100],
    ...[["MESSAGE_CAPPING_NONE", 0], ["MESSAGE_CAPPING_NONE", undefined]],
    ["REACHOUT_TIMELOCK", undefined],
  ]);
});

Deno.test("WAHA: a session of a wrong phone holds the instance until the right one is there", async () => {
  await using client = await createWebhookClient();
  const tenant = await createTenant(client);
  let at = Date.now();
  const connect = async (phone: string): Promise<string> => {
    const members = { timestamp: at++, me: { id: `${phone}@c.us`, pushName: "Loja" } };
    await tell(client, tenant, "session.status", { name: "s", status: "WORKING" }, members);
    const { status, heldBy } = (await client.stack.messages(tenant, "GET", "/health")).body;
    return `${status} ${heldBy}`;
  };
  assertEquals(await connect("5521977776666"), "held wrong_phone");
  assertEquals(await connect(tenant.connectedPhone), "ok null");
});

Deno.test("WAHA: an edit and a deletion change the message that stands under its bare id", async () => {
  await using client = await createWebhookClient();
  const tenant = await createTenant(client);
  await tell(client, tenant, "message", wahaMessage("3EB0A", { body: "às 10h" }));
  const edit = { id: `false_${lid}_EDIT`, from: lid, pn: chat, editedMessageId: "3EB0A" };
  await tell(client, tenant, "message.edited", wahaMessage("", { ...edit, body: "às 11h" }));
  await tell(client, tenant, "message.revoked", { revokedMessageId: "3EB0A", before: null });
  assertEquals((await readFeed(client, tenant)).map(({ type }) => type), [
    ...["message.received", "message.edited", "message.deleted"],
  ]);
  assertEquals((await client.messages(tenant)).length, 1);
});

Deno.test("WAHA: a received file is known by its message and its address at WAHA, and fetched by itself", async () => {
  await using client = await createWebhookClient();
  const tenant = await createTenant(client);
  const url = "http://localhost:3000/api/files/s/3EB0F.jpg";
  const file = { body: null, hasMedia: true, media: { url, mimetype: "image/jpeg" } };
  const { body } = await tell(client, tenant, "message", wahaMessage("3EB0F", file));
  assertEquals(body.recorded, 1);
  const [row] = await client.messages(tenant);
  assertEquals([row?.["message_type"], row?.["file_source"]], [
    "image",
    { id: `false_${chat}_3EB0F`, url },
  ]);
  assert(!JSON.stringify(row).includes("waha-secret-key"));
});

/** An instance whose session has told a lock on new chats, and what tests of it do. */
interface LockedNumber {
  readonly tenant: Tenant;
  /** Tells the lock, or that it has ended. */
  tellLock(isActive: boolean): Promise<void>;
  /** Asks for a message. @returns its id. */
  say(phone: string, members?: Body): Promise<string>;
  /** Lets time pass for what leaves now, and dispatches. */
  dispatch(): Promise<void>;
  records(ids: readonly string[]): Promise<Body[]>;
}

async function createLockedNumber(
  client: WebhookClient,
  prepare: (tenant: Tenant) => Promise<unknown> = () => Promise.resolve(),
): Promise<LockedNumber> {
  const { stack } = client;
  const tenant = await createTenant(client);
  stack.provider.answer = () =>
    Response.json({ key: { id: crypto.randomUUID() } }, { status: 201 });
  await prepare(tenant);
  const endS = Math.floor(Date.now() / 1_000) + 86_400;
  const tellLock = async (isActive: boolean): Promise<void> => {
    const data = {
      reachoutTimelock: { isActive, timeEnforcementEnds: endS, enforcementType: "DEFAULT" },
    };
    await tell(client, tenant, "session.status", { name: "s", status: "WORKING", data }, {
      ...{ timestamp: Date.now(), me: { id: `${tenant.connectedPhone}@c.us` } },
    });
  };
  await tellLock(true);
  stack.provider.requests.length = 0;
  return {
    tenant,
    tellLock,
    say: async (phone, members = {}) => {
      const text = { phone, messageType: "text", message: "Olá", ...members };
      return (await stack.send(tenant, text)).body.messageId;
    },
    dispatch: async () => {
      for (let run = 0; run < 4; run++) {
        await letTimePass(stack.admin, 40);
        await stack.dispatch();
      }
    },
    records: (ids) =>
      Promise.all(
        ids.map(async (id) => (await stack.messages(tenant, "GET", `/messages/${id}`)).body),
      ),
  };
}

Deno.test("WAHA: while new chats are locked, what is queued for new contacts waits, and known ones go on", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const known = "5511900000001";
  const number = await createLockedNumber(
    client,
    (tenant) => stack.send(tenant, { phone: known, messageType: "text", message: "Olá" }),
  );
  const sent = [
    await number.say("5511900000002", { queued: true }),
    await number.say("5511900000003", { delayMessage: 1 }),
    await number.say(known, { queued: true }),
  ];
  await number.dispatch();
  const records = await number.records(sent);
  assertEquals(records.map(({ status, heldBy }) => [status, heldBy]), [
    ...[["queued", "new_contacts"], ["queued", "new_contacts"], ["sent", null]],
  ]);
  assertEquals(stack.provider.requests.length, 1);
  for (const { scheduledFor } of records.slice(0, 2)) {
    assert(Date.parse(scheduledFor) > Date.now() + 80_000_000, scheduledFor);
  }
  // The lock ends early: what it held leaves.
  await number.tellLock(false);
  await number.dispatch();
  assertEquals((await number.records(sent)).map(({ status }) => status), [
    ...["sent", "sent", "sent"],
  ]);
});

Deno.test("WAHA: a new contact who writes while new chats are locked is known: what waits for them leaves", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const number = await createLockedNumber(client);
  const [writer, silent] = ["5511900000002", "5511900000003"];
  const sent = [
    await number.say(writer, { queued: true, message: "1" }),
    await number.say(silent, { queued: true, message: "2" }),
    await number.say(writer, { queued: true, message: "3" }),
    await number.say(writer, { delayMessage: 1, message: "4" }),
    await number.say(writer, { queued: true, message: "5", cancelOn: ["reply"] }),
  ];
  await number.dispatch();
  const read = async (): Promise<string[]> =>
    (await number.records(sent)).map(({ status, heldBy }) => `${status} ${heldBy}`);
  assertEquals(await read(), Array(5).fill("queued new_contacts"));
  const from = `${writer}@c.us`;
  const reply = wahaMessage("IN1", { from, id: `false_${from}_IN1`, body: "Oi" });
  await tell(client, number.tenant, "message", reply);
  const waiting = await number.records(sent);
  assertEquals(waiting.map(({ status, heldBy }) => `${status} ${heldBy}`), [
    ...["queued null", "queued new_contacts", "queued null", "queued null"],
    "canceled null",
  ]);
  for (const place of [0, 2, 3]) {
    assert(Date.parse(waiting[place].scheduledFor) <= Date.now(), waiting[place].scheduledFor);
  }
  assertEquals(stack.provider.requests.length, 0);
  await number.dispatch();
  assertEquals(await read(), [
    ...["sent null", "queued new_contacts", "sent null", "sent null", "canceled null"],
  ]);
});

Deno.test("WAHA: what a lock holds for a phone leaves when its person has written as a hidden identity", async () => {
  await using client = await createWebhookClient();
  const number = await createLockedNumber(client);
  const sent = [await number.say(phone, { queued: true })];
  await number.dispatch();
  assertEquals((await number.records(sent))[0].heldBy, "new_contacts");
  const hidden = wahaMessage("IN1", { from: lid, id: `false_${lid}_IN1`, body: "Oi" });
  await tell(client, number.tenant, "message", hidden);
  assertEquals((await number.records(sent))[0].heldBy, "new_contacts", "who that is is not known");
  const shown = wahaMessage("IN2", {
    from: lid,
    id: `false_${lid}_IN2`,
    pn: chat,
    body: "Tudo bem?",
  });
  await tell(client, number.tenant, "message", shown);
  assertEquals((await number.records(sent))[0].heldBy, null);
  await number.dispatch();
  assertEquals((await number.records(sent))[0].status, "sent");
});

Deno.test("WAHA: a refusal 463 begins a lock of a day where none is known, told once", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await createTenant(client);
  const exception = { message: "2 UNKNOWN: server returned error 463", code: 2 };
  stack.provider.answer = () => Response.json({ statusCode: 500, exception }, { status: 500 });
  for (const phone of ["5511900000002", "5511900000003"]) {
    await stack.send(tenant, { phone, messageType: "text", message: "Olá" });
  }
  const { timeLock } = (await stack.messages(tenant, "GET", "/health")).body.allowance;
  assertEquals([timeLock.isActive, timeLock.kind], [true, null]);
  const hours = (Date.parse(timeLock.until) - Date.now()) / 3_600_000;
  assert(hours > 23.9 && hours <= 24, String(hours));
  const told = await stack.admin`
    select data from messaging.events where instance_id = ${tenant.instanceId}
      and type = 'instance.limit_changed'`;
  assertEquals(told.map(({ data }) => [data.reason, data.allowance.timeLock.isActive]), [
    ["NEW_CHAT_LOCKED", true],
  ]);
});

Deno.test("WAHA: an answer that waits in the queue names what it quotes by the whole id, as one that goes at once does", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await createTenant(client);
  await tell(client, tenant, "message", wahaMessage("THEIRS", { body: "Olá" }));
  stack.provider.answer = () =>
    Response.json({ key: { remoteJid: chat, fromMe: true, id: "OURS" } }, { status: 201 });
  const first = await stack.send(tenant, { phone, messageType: "text", message: "Oi" });
  assertEquals(first.body.providerMessageId, "OURS");
  const [theirs] = await client.messages(tenant);
  const quoted = [[first.body.messageId, `true_${chat}_OURS`], [
    theirs?.["id"],
    `false_${chat}_THEIRS`,
  ]];
  let sent = 0;
  stack.provider.answer = () =>
    Response.json({ key: { remoteJid: chat, fromMe: true, id: `A${++sent}` } }, { status: 201 });
  for (const [replyTo, wholeId] of quoted) {
    for (const way of [{}, { queued: true, intervalSeconds: 10 }, { delayMessage: 5 }]) {
      stack.provider.requests.length = 0;
      const answer = { phone, messageType: "text", message: "Certo", replyTo, ...way };
      assertEquals((await stack.send(tenant, answer)).status, 200);
      await letTimePass(stack.admin, 30);
      await stack.dispatch();
      assertEquals(stack.provider.requests.map(({ json }) => json["reply_to"]), [wholeId]);
    }
  }
});
