/** Why nothing of an instance leaves: one answer, in everything that tells of it, until the reason ends. */

import { changeUnfollowed } from "../../support/database/unfollowed_change.ts";
import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import {
  changeBatch,
  createBatch,
  readRecipients,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import type { Tenant, TenantOptions } from "../../support/fixtures/tenant.ts";
import { administer } from "../../support/stack/admin_calls.ts";
import { waitUntil } from "../../support/wait_until.ts";
import type { AdminApi } from "../../../supabase/admin/admin_api.ts";
import { runAdminCommand } from "../../../supabase/admin/commands.ts";
import { createWebhookClient, type WebhookClient } from "../provider_webhook/webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Json = any;

/** The one answer, with the end as an instant, and how its e-mail names it; null for no e-mail. */
interface Why {
  readonly heldBy: string;
  readonly holdReason: string | null;
  readonly holdCode: string | null;
  readonly email: RegExp | null;
}

interface Hold {
  readonly name: string;
  readonly tenant: TenantOptions;
  readonly why: Why;
  readonly hasEnd: boolean;
  readonly begin: (client: WebhookClient, tenant: Tenant) => Promise<unknown>;
  readonly end: (client: WebhookClient, tenant: Tenant) => Promise<unknown>;
}

const to = { phone: "5511987654321", messageType: "text", message: "Oi" };
const queued = { ...to, queued: true, intervalSeconds: 10 };

/** The provider refuses what is sent: the dispatcher tries the head of the queue, and again ten seconds later. */
async function refuse(
  { stack }: WebhookClient,
  tenant: Tenant,
  answer: () => Response,
): Promise<void> {
  stack.provider.answer = answer;
  await stack.send(tenant, { ...queued, phone: "5511900000001" });
  await stack.finishBackground();
  await stack.dispatch();
  await letTimePass(stack.admin, 11);
  await stack.dispatch();
}

function metaError(status: number, code: number): () => Response {
  return () =>
    Response.json({ error: { message: "Refused", type: "OAuthException", code } }, { status });
}

async function giveCredentials({ stack }: WebhookClient, { instanceId }: Tenant): Promise<void> {
  await stack.admin`
    update messaging.dispatch set hold_until = '-infinity' where instance_id = ${instanceId}`;
}

function accountUpdate(value: Json): Json {
  const time = Math.floor(Date.now() / 1_000) + 1;
  const changes = [{ field: "account_update", value }];
  return { object: "whatsapp_business_account", entry: [{ id: "104", time, changes }] };
}

const refused = { heldBy: "instance_held", holdReason: "provider_refused" };
const lost = { heldBy: "disconnected", holdCode: null };
const byOperator = { heldBy: "operator_hold", holdCode: null };

const holds: readonly Hold[] = [
  ...([["whatsapp_cloud", metaError(401, 190), "190"], [
    "whatsapp_cloud",
    metaError(400, 131031),
    "131031",
  ]] as const)
    .map(([provider, answer, code]): Hold => ({
      name: `the channel refuses the account with ${code}`,
      tenant: { provider },
      why: { ...refused, holdCode: code, email: new RegExp(`provider_refused[^]*${code}`) },
      hasEnd: true,
      begin: (client, tenant) => refuse(client, tenant, answer),
      end: giveCredentials,
    })),
  {
    name: "a gateway refuses its credentials",
    tenant: { provider: "evolution" },
    why: { ...refused, holdCode: "http_401", email: /provider_refused[^]*http_401/ },
    hasEnd: true,
    begin: (client, tenant) =>
      refuse(client, tenant, () => Response.json({ error: "Unauthorized" }, { status: 401 })),
    end: giveCredentials,
  },
  {
    name: "an operator holds the queue for good",
    tenant: {},
    why: { ...byOperator, holdReason: "manutenção", email: null },
    hasEnd: false,
    begin: ({ stack }, { instanceId }) =>
      administer(stack, "POST", "/queue/hold", { body: { instanceId, reason: "manutenção" } }),
    end: ({ stack }, { instanceId }) =>
      administer(stack, "POST", "/queue/release", { body: { instanceId } }),
  },
  {
    name: "an operator holds the queue for an hour",
    tenant: {},
    why: { ...byOperator, holdReason: null, email: null },
    hasEnd: true,
    begin: ({ stack }, { instanceId }) =>
      administer(stack, "POST", "/queue/hold", {
        body: { instanceId, until: new Date(Date.now() + 3_600_000).toISOString() },
      }),
    end: ({ stack }) => stack.admin`update messaging.dispatch set operator_hold_until = now()`,
  },
  {
    name: "the service suspects the number",
    tenant: {},
    why: { ...byOperator, holdReason: "suspect", email: /suspect/ },
    hasEnd: false,
    begin: ({ stack }, tenant) => makeSuspect(stack.admin, tenant),
    end: ({ stack }, { instanceId }) =>
      administer(stack, "POST", "/queue/release", { body: { instanceId } }),
  },
  {
    name: "the phone is disconnected",
    tenant: { provider: "zapi" },
    why: { ...lost, holdReason: "Device left", email: /Device left/ },
    hasEnd: false,
    begin: (client, tenant) =>
      client.zapi(tenant, {
        ...{ type: "DisconnectedCallback", disconnected: true, momment: Date.now() },
        error: "Device left",
      }),
    end: (client, tenant) =>
      client.zapi(tenant, {
        ...{ type: "ConnectedCallback", connected: true, momment: Date.now() + 1_000 },
        phone: "551140001234",
      }),
  },
  {
    name: "the channel restricts the account until an instant",
    tenant: { provider: "whatsapp_cloud" },
    why: {
      ...lost,
      holdReason: "RESTRICTED_BIZ_INITIATED_MESSAGING",
      email: /RESTRICTED_BIZ[^]*termina em \d\d\//,
    },
    hasEnd: true,
    begin: (client, tenant) =>
      client.cloud(
        tenant,
        accountUpdate({
          event: "ACCOUNT_RESTRICTION",
          restriction_info: [{
            restriction_type: "RESTRICTED_BIZ_INITIATED_MESSAGING",
            expiration: Math.floor(Date.now() / 1_000) + 7_200,
          }],
        }),
      ),
    end: ({ stack }) => letTimePass(stack.admin, 7_300),
  },
];

/** Twenty accepted messages, the first more than ten minutes ago, and no confirmation since one before them. */
async function makeSuspect(
  admin: WebhookClient["stack"]["admin"],
  { instanceId }: Tenant,
  { minutes = 20, confirmed = "delivered", isTyped = false } = {},
): Promise<void> {
  await changeUnfollowed(admin, async (sql) => {
    await sql`
      update messaging.messages set status = 'sent', delivered_at = null,
        sent_at = now() - make_interval(mins => ${minutes}) + id_number.place * interval '1 second',
        is_typed_on_phone = ${isTyped} and id_number.place = 12
      from (
        select id, row_number() over (order by id) as place from messaging.messages
        where instance_id = ${instanceId} and message = 'antes'
      ) as id_number
      where messages.id = id_number.id`;
    await sql`
      update messaging.messages set status = ${confirmed},
        sent_at = now() - make_interval(mins => ${minutes + 60}),
        delivered_at = case when ${confirmed} = 'delivered' then now() - interval '1 hour' end
      where id = (
        select id from messaging.messages
        where instance_id = ${instanceId} and message = 'antes' order by id limit 1
      )`;
  });
  await callFunction(admin, "hold_suspects", { maxInstances: 10 });
}

const shown = ({ heldBy, holdReason, holdCode, heldUntil }: Json): Json => ({
  ...{ heldBy, holdReason, holdCode },
  hasEnd: typeof heldUntil === "string" && Date.parse(heldUntil) > Date.now(),
});

async function readAttention({ stack }: WebhookClient, { instanceId }: Tenant): Promise<Json> {
  const { body } = await administer(stack, "GET", "/health");
  return body.attention.find((item: Json) => item.instanceId === instanceId);
}

async function printHealth({ stack }: WebhookClient): Promise<string> {
  let output = "";
  const api: AdminApi = {
    call: async (method, path) => (await administer(stack, method, `/${path}`)).body,
  };
  const code = await runAdminCommand({
    ...{ api, print: (text) => output += text, printError: (text) => output += text },
    ...{ readFile: () => Promise.resolve(""), readStdin: () => Promise.resolve("") },
  }, ["health"]);
  assertEquals(code, 0, output);
  return output;
}

async function readAll(
  { stack }: WebhookClient,
  tenant: Tenant,
  messageId: string,
): Promise<Readonly<Record<string, Json>>> {
  const message = (await stack.messages(tenant, "GET", `/messages/${messageId}`)).body;
  const list = (await stack.messages(tenant, "GET", "/messages?status=queued")).body.items;
  const queue = (await stack.messages(tenant, "GET", "/queue")).body.items;
  const named = (items: Json[]): Json => items.find((item) => item.messageId === messageId);
  const health = (await stack.messages(tenant, "GET", "/health")).body;
  return { message, list: named(list), queue: named(queue), health };
}

for (const { name, tenant: options, why: { email, ...why }, hasEnd, begin, end } of holds) {
  Deno.test(`one answer to why nothing leaves, and it ends: ${name}`, async () => {
    await using client = await createWebhookClient();
    const { stack } = client;
    const tenant = await client.createTenant(options);
    await stack.admin`update messaging.workspaces set alert_email = 'alerta@example.com'`;
    // An older failure, which has nothing to do with it.
    stack.provider.answer = options.provider === "whatsapp_cloud"
      ? metaError(400, 131047)
      : () => Response.json({ error: "Phone invalid" }, { status: 400 });
    await stack.send(tenant, to);
    if (name.includes("suspects")) {
      for (let count = 0; count < 21; count++) {
        await stack.send(tenant, { ...to, message: "antes" });
      }
    }
    await letTimePass(stack.admin, 60 * 18);

    await begin(client, tenant);
    const answer = (await stack.send(tenant, queued)).body;
    const expected = { ...why, hasEnd };
    assertEquals([answer.status, shown(answer)], ["queued", expected], "the answer to the call");
    for (const [place, told] of Object.entries(await readAll(client, tenant, answer.messageId))) {
      assertEquals(shown(told), expected, place);
    }
    await waitUntil(async () => (await readAttention(client, tenant))?.heldBy === why.heldBy);
    const attention = await readAttention(client, tenant);
    assertEquals([attention.name, shown(attention)], ["Loja", expected]);
    const printed = await printHealth(client);
    const words = [tenant.instanceId, "Loja", why.heldBy, why.holdReason, why.holdCode];
    for (const word of words) {
      assert(word === null || printed.includes(word), `${word}: ${printed}`);
    }

    const [event] = await stack.admin`
      select data from messaging.events
      where instance_id = ${tenant.instanceId} and type in ('instance.held', 'instance.disconnected')
      order by sequence desc limit 1`;
    assertEquals([shown(event?.["data"]), event?.["data"].reason], [expected, why.holdReason]);
    await stack.dispatch();
    const mails = stack.mail.requests.map(({ json }) => (json as Json).text as string);
    assertEquals(mails.length > 0, email !== null, mails.join("\n"));
    if (email !== null) assertMatch(mails.at(-1) ?? "", email);

    stack.provider.answer = () => Response.json({ messageId: crypto.randomUUID() });
    await end(client, tenant);
    for (const [place, told] of Object.entries(await readAll(client, tenant, answer.messageId))) {
      assert(!["instance_held", "disconnected", "operator_hold"].includes(told.heldBy), place);
      assertEquals([told.holdReason, told.holdCode, told.heldUntil], [null, null, null], place);
    }
    await waitUntil(async () => ((await readAttention(client, tenant))?.heldBy ?? null) === null);
  });
}

Deno.test("health names the refusal that holds the queue as the last failure, not an older one", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  stack.provider.answer = metaError(400, 131047);
  await stack.send(tenant, to);
  const read = async (): Promise<Json> =>
    (await stack.messages(tenant, "GET", "/health")).body.lastFailure;
  assertEquals([(await read()).status, (await read()).code], ["failed", "131047"]);
  await letTimePass(stack.admin, 60 * 18);
  await refuse(client, tenant, metaError(401, 190));
  assertEquals([(await read()).status, (await read()).code], ["queued", "190"]);
  stack.provider.answer = metaError(400, 131047);
  await stack.send(tenant, to);
  assertEquals([(await read()).status, (await read()).code], ["failed", "131047"], "the newest");
  stack.provider.answer = metaError(401, 190);
  await stack.send(tenant, to);
  assertEquals([(await read()).status, (await read()).code], ["failed", "190"], "no other waits");
});

Deno.test("a number is suspect only where its silence says so, and while nothing else holds it", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant();
  for (let count = 0; count < 21; count++) await stack.send(tenant, { ...to, message: "antes" });
  const suspect = async (silence: Parameters<typeof makeSuspect>[2] = {}): Promise<Json> => {
    await makeSuspect(stack.admin, tenant, silence);
    return (await stack.messages(tenant, "GET", "/health")).body.holdReason;
  };
  const { instanceId } = tenant;
  await client.receive(tenant, { messageId: "in-1", text: { message: "Oi" } });
  assertEquals(await suspect(), null, "it has received something since");
  await stack.admin`delete from messaging.events where type = 'message.received'`;
  assertEquals(await suspect({ confirmed: "sent" }), null, "it has never confirmed anything");
  assertEquals(await suspect({ minutes: 9 }), null, "its messages are of the last ten minutes");
  assertEquals(await suspect({ minutes: 25 * 60 }), null, "it has sent nothing for a day");
  assertEquals(await suspect({ isTyped: true }), null, "somebody types on its phone");
  await administer(stack, "POST", "/queue/hold", { body: { instanceId, reason: "manutenção" } });
  assertEquals(await suspect(), "manutenção");
  await administer(stack, "POST", "/queue/release", { body: { instanceId } });
  assertEquals(await suspect(), "suspect", "the end of another hold trusts nothing");
  await stack.admin`
    select messaging.advance_message(m.id, null, 'read', now(), null)
    from (select id from messaging.messages where message = 'antes' limit 1) as m`;
  assertEquals(await suspect(), null, "one was read");
});

Deno.test("a suspect number is trusted again once a person writes to it", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant();
  for (let count = 0; count < 21; count++) await stack.send(tenant, { ...to, message: "antes" });
  await makeSuspect(stack.admin, tenant);
  const look = async (): Promise<Json> => {
    await callFunction(stack.admin, "hold_suspects", { maxInstances: 10 });
    return (await stack.messages(tenant, "GET", "/health")).body.holdReason;
  };
  assertEquals(await look(), "suspect");
  await client.receive(tenant, { messageId: "in-1", text: { message: "Oi" } });
  assertEquals(await look(), null);
});

Deno.test("a refusal outlasts word that the connection is there, and ends when a lost one is back", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "zapi" });
  let told = Date.now();
  const tell = async (state: "Connected" | "Disconnected"): Promise<string | null> => {
    await client.zapi(tenant, {
      ...{ type: `${state}Callback`, phone: "551140001234", momment: told += 1_000 },
      ...(state === "Connected" ? { connected: true } : { disconnected: true, error: "left" }),
    });
    return (await client.stack.messages(tenant, "GET", "/health")).body.heldBy;
  };
  await tell("Connected");
  await refuse(client, tenant, () => Response.json({ error: "wrong token" }, { status: 401 }));
  assertEquals(await tell("Connected"), "instance_held");
  assertEquals(await tell("Disconnected"), "disconnected");
  assert(await tell("Connected") !== "instance_held");
});

Deno.test("recipients of a batch tell what holds their messages", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  stack.provider.answer = metaError(401, 190);
  const batchId = await createBatch(stack, tenant, {
    message: { messageType: "text", message: "Oi" },
    recipients: [{ phone: "5511987654321" }],
  });
  await changeBatch(stack, tenant, batchId, "start");
  await runBatches(stack, 2);
  const [recipient] = await readRecipients(stack, tenant, batchId) as Json[];
  assertEquals([recipient.status, shown(recipient)], ["queued", {
    ...{ heldBy: "instance_held", holdReason: "provider_refused", holdCode: "190", hasEnd: true },
  }]);
});

Deno.test("a delayed message that meets the refusal of its whole instance tells it; one whose time has not come does not", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  stack.provider.answer = metaError(401, 190);
  const due = (await stack.send(tenant, { ...to, delayMessage: 60 })).body;
  const later = (await stack.send(tenant, { ...to, delayMessage: 3_600 })).body;
  await letTimePass(stack.admin, 61);
  await stack.dispatch();
  const read = async ({ messageId }: Json): Promise<Json> =>
    (await stack.messages(tenant, "GET", `/messages/${messageId}`)).body;
  assertEquals([(await read(due)).heldBy, (await read(due)).holdCode], ["instance_held", "190"]);
  assertEquals([(await read(later)).heldBy, (await read(later)).holdCode], ["delay", null]);
});

Deno.test("a message whose own time comes after all holds waits for that time", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const later = (await stack.send(tenant, { ...to, delayMessage: 7_200 })).body;
  await refuse(client, tenant, metaError(401, 190));
  await stack.admin`
    update messaging.dispatch set hold_until = now() + interval '3 hours',
      operator_hold_until = now() + interval '1 hour' where instance_id = ${tenant.instanceId}`;
  const { body } = await stack.messages(tenant, "GET", `/messages/${later.messageId}`);
  assertEquals([body.heldBy, body.holdReason, body.heldUntil], ["delay", null, null]);
});

Deno.test("a first refusal of ten seconds is told of the queue as of the instance, then the next attempt is", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  stack.provider.answer = metaError(401, 190);
  const paced = { ...queued, intervalSeconds: 120 };
  const head = (await stack.send(tenant, paced)).body;
  const behind = (await stack.send(tenant, { ...paced, phone: "5511900000001" })).body;
  await stack.finishBackground();
  await stack.dispatch();
  const expected = {
    ...{ heldBy: "instance_held", holdReason: "provider_refused", holdCode: "190", hasEnd: true },
  };
  for (const { messageId } of [head, behind]) {
    for (const [place, told] of Object.entries(await readAll(client, tenant, messageId))) {
      assertEquals(shown(told), expected, place);
    }
  }
  // The hold is over; the message has its interval to wait, since its provider has been called.
  await letTimePass(stack.admin, 11);
  for (const [place, told] of Object.entries(await readAll(client, tenant, head.messageId))) {
    assertEquals([told.heldBy, told.heldUntil], ["delay", null], place);
  }
  const { message } = await readAll(client, tenant, behind.messageId);
  assertEquals([message.heldBy, message.heldUntil], ["interval", null]);
});

Deno.test("of a refusal that passes by itself within a minute no e-mail is sent, and of one that lasts one in ten minutes", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await stack.admin`update messaging.workspaces set alert_email = 'alerta@example.com'`;
  const countMails = async (): Promise<number> => {
    const [row] = await stack.admin`
      select count(*)::int as mails from messaging.outbox where kind = 'instance_held_email'`;
    return row?.["mails"];
  };
  await refuse(client, tenant, metaError(401, 190));
  assertEquals(await countMails(), 1, "two holds, one e-mail");
  await letTimePass(stack.admin, 301);
  await stack.dispatch();
  assertEquals(await countMails(), 1, "a third within ten minutes");
  await letTimePass(stack.admin, 301);
  await stack.dispatch();
  assertEquals(await countMails(), 2);

  const gateway = await client.createTenant({
    provider: "evolution",
    baseUrl: "http://127.0.0.1:9",
  });
  await stack.send(gateway, queued);
  await stack.finishBackground();
  await stack.dispatch();
  const health = (await stack.messages(gateway, "GET", "/health")).body;
  assertEquals([health.heldBy, await countMails()], ["instance_held", 2], health.holdCode);
});
