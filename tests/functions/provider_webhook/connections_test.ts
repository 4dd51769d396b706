/** A lost connection stops an instance's queue and burns no message; the channel's limits inform. */

import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import type { ProviderKind } from "../../../shared/model/provider_kind.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { administer } from "../../support/stack/admin_calls.ts";
import { createWebhookClient, type WebhookClient } from "./webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

const to = { phone: "5511987654321", messageType: "text", message: "Oi" };
const queued = { ...to, queued: true, intervalSeconds: 10 };

function zapiCallback(type: "Connected" | "Disconnected", atMs = Date.now()): Body {
  return type === "Connected"
    ? { type: "ConnectedCallback", connected: true, momment: atMs, phone: "551140001234" }
    : {
      ...{ type: "DisconnectedCallback", disconnected: true, momment: atMs },
      error: "Device has been disconnected",
    };
}

function evolutionUpdate(state: string, atMs = Date.now()): Body {
  return {
    event: "connection.update",
    data: { state, statusReason: state === "open" ? 200 : 401 },
    date_time: new Date(atMs).toISOString(),
  };
}

function accountUpdate(value: Body, atMs = Date.now()): Body {
  const time = Math.floor(atMs / 1_000);
  const changes = [{ field: "account_update", value }];
  return { object: "whatsapp_business_account", entry: [{ id: "104", time, changes }] };
}

const ban = { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "DISABLE" } };
const reinstatement = { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "REINSTATE" } };

/** What the event of a lost connection without an end tells. */
function lost(reason: string): Body {
  const hold = { heldBy: "disconnected", holdReason: reason, holdCode: null, heldUntil: null };
  return { reason, until: null, ...hold };
}

async function health({ stack }: WebhookClient, tenant: Tenant): Promise<Body> {
  return (await stack.messages(tenant, "GET", `/health?instanceId=${tenant.instanceId}`)).body;
}

async function queueOf({ stack }: WebhookClient, tenant: Tenant): Promise<Body> {
  return (await stack.messages(tenant, "GET", `/queue?instanceId=${tenant.instanceId}`)).body;
}

/** The instance's events about itself, oldest first. */
async function eventsOf({ stack }: WebhookClient, tenant: Tenant): Promise<readonly Body[]> {
  const rows = await stack.admin`
    select type, data from messaging.events
    where instance_id = ${tenant.instanceId} and type like 'instance.%' order by sequence`;
  return rows.map(({ type, data }) => [type, data]);
}

const channels: readonly {
  readonly provider: ProviderKind;
  readonly tell: (
    client: WebhookClient,
    tenant: Tenant,
    state: "up" | "down",
    atMs?: number,
  ) => Promise<unknown>;
  readonly reason: string;
}[] = [
  {
    provider: "zapi",
    tell: (client, tenant, state, atMs) =>
      client.zapi(tenant, zapiCallback(state === "up" ? "Connected" : "Disconnected", atMs)),
    reason: "Device has been disconnected",
  },
  {
    provider: "evolution",
    tell: (client, tenant, state, atMs) =>
      client.evolution(tenant, evolutionUpdate(state === "up" ? "open" : "close", atMs)),
    reason: "close (401)",
  },
  {
    provider: "whatsapp_cloud",
    tell: (client, tenant, state, atMs) =>
      client.cloud(tenant, accountUpdate(state === "up" ? reinstatement : ban, atMs)),
    reason: "DISABLE",
  },
];

for (const { provider, tell, reason } of channels) {
  Deno.test(`${provider}: a lost connection stops the queue and burns no message, and it goes on when the connection is back`, async () => {
    await using client = await createWebhookClient();
    const { stack } = client;
    const tenant = await client.createTenant({ provider });
    assertEquals((await health(client, tenant)).connection.state, "unknown");
    const first = (await stack.send(tenant, { ...queued, delayMessage: 60 })).body;
    await tell(client, tenant, "down");
    const later = (await stack.send(tenant, queued)).body;
    assertEquals([later.heldBy, later.scheduledFor], ["disconnected", null]);
    await letTimePass(stack.admin, 3_600);
    await stack.dispatch();
    assertEquals(stack.provider.requests.length, 0, "nothing leaves");
    assertEquals((await queueOf(client, tenant)).items.map((item: Body) => item.heldBy), [
      ...["disconnected", "disconnected"],
    ]);
    const down = await health(client, tenant);
    assertEquals(
      [down.status, down.connection.state, down.connection.reason, down.oldestDueAt],
      ["disconnected", "disconnected", reason, null],
    );
    assertMatch(down.connection.since, /T.*Z$/);
    const service = (await administer(stack, "GET", "/health")).body;
    assertEquals([service.status, service.instances.disconnected], ["disconnected", 1]);

    const immediate = await stack.send(tenant, to);
    assertEquals([immediate.status, stack.provider.requests.length], [200, 1], "it is tried");

    await tell(client, tenant, "up", Date.now() + 1_000);
    assertEquals((await health(client, tenant)).status, "late");
    await stack.dispatch();
    assertEquals(stack.provider.requests.length, 2, "one, and the other an interval later");
    await letTimePass(stack.admin, 20);
    await stack.dispatch();
    assertEquals(stack.provider.requests.length, 3);
    const { body } = await stack.messages(
      tenant,
      "GET",
      `/messages/${first.messageId}?instanceId=${tenant.instanceId}`,
    );
    assertEquals([body.status, body.attempts], ["sent", 1]);
    assertEquals(await eventsOf(client, tenant), [
      ["instance.disconnected", lost(reason)],
      ["instance.connected", { reason: null }],
    ]);
  });
}

/** Of an official number of which nothing was told. */
const allowance = { messagesPerSecond: 80, source: "default", newChats: null, timeLock: null };

Deno.test("of callbacks about a connection the newest by the provider's time wins, and a repeated one is no event", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const now = Date.now();
  await client.zapi(tenant, zapiCallback("Disconnected", now - 60_000));
  await client.zapi(tenant, zapiCallback("Disconnected", now - 60_000));
  await client.zapi(tenant, zapiCallback("Disconnected", now - 50_000));
  await client.zapi(tenant, zapiCallback("Connected", now - 70_000));
  assertEquals((await health(client, tenant)).status, "disconnected", "it was connected before");
  await client.zapi(tenant, zapiCallback("Connected", now - 40_000));
  await client.zapi(tenant, zapiCallback("Disconnected", now - 45_000));
  // By Z-API's page the moment of a disconnection is in seconds.
  await client.zapi(tenant, zapiCallback("Disconnected", Math.floor((now - 45_000) / 1_000)));
  assertEquals((await health(client, tenant)).connection.state, "connected");
  assertEquals((await eventsOf(client, tenant)).map(([type]) => type), [
    ...["instance.disconnected", "instance.connected"],
  ]);
});

Deno.test("the alert address of the workspace is told of a lost connection once, and not of each flicker", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant();
  await stack.admin`
    update messaging.workspaces set alert_email = 'alerta@example.com'
    where id = ${tenant.workspaceId}`;
  const now = Date.now();
  for (const [index, type] of (["Disconnected", "Connected", "Disconnected"] as const).entries()) {
    await client.zapi(tenant, zapiCallback(type, now + index * 1_000));
  }
  await stack.dispatch();
  assertEquals(stack.mail.requests.length, 1);
  const mail = stack.mail.requests[0]?.json as Body;
  assertEquals(mail.to, "alerta@example.com");
  assertMatch(mail.subject, /^Instância desconectada: /);
  assertMatch(mail.text, /Device has been disconnected/);
});

Deno.test("a further loss is told again ten minutes after the one that was told", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant();
  await stack.admin`update messaging.workspaces set alert_email = 'alerta@example.com'`;
  const lose = async (): Promise<number> => {
    await client.zapi(tenant, zapiCallback("Disconnected"));
    await client.zapi(tenant, zapiCallback("Connected"));
    const emails = await stack.admin`
      select from messaging.outbox where kind = 'instance_disconnected_email'`;
    return emails.length;
  };
  assertEquals([await lose(), await lose()], [1, 1]);
  await letTimePass(stack.admin, 500);
  assertEquals(await lose(), 1);
  await letTimePass(stack.admin, 200);
  assertEquals(await lose(), 2);
});

Deno.test("a connection is lost, and there, since it was first told so", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const now = Date.now();
  const tell = async (type: "Connected" | "Disconnected", atMs: number): Promise<number> => {
    await client.zapi(tenant, zapiCallback(type, atMs));
    const [row] = await client.stack.admin<{ at: Date }[]>`
      select coalesce(connected_at, disconnected_at) as at from messaging.dispatch`;
    return row?.at.getTime() ?? 0;
  };
  assertEquals(await tell("Disconnected", now - 60_000), now - 60_000);
  assertEquals(await tell("Disconnected", now - 50_000), now - 60_000);
  assertEquals(await tell("Connected", now - 40_000), now - 40_000);
  assertEquals(await tell("Connected", now - 30_000), now - 40_000);
  assertEquals(await tell("Disconnected", now - 20_000), now - 20_000);
  // The clock of a phone may be ahead: nothing has happened later than it was told.
  const ahead = await tell("Connected", now + 3_600_000);
  assert(ahead >= now && ahead <= Date.now() + 1_000, `${ahead - now} ms`);
});

Deno.test("what became due beside the paced queue while the connection was lost leaves ten seconds apart", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant();
  for (let count = 0; count < 3; count++) await stack.send(tenant, { ...to, delayMessage: 5 });
  await client.zapi(tenant, zapiCallback("Disconnected"));
  await letTimePass(stack.admin, 60);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 0);
  await client.zapi(tenant, zapiCallback("Connected", Date.now() + 1_000));
  for (const expected of [1, 2, 3]) {
    await stack.dispatch();
    assertEquals(stack.provider.requests.length, expected);
    await letTimePass(stack.admin, 10);
  }
});

Deno.test("new credentials, or an operator's release, end what was told of the former connection", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant();
  await stack.send(tenant, { ...to, delayMessage: 5 });
  // By a clock that is ahead.
  await client.zapi(tenant, zapiCallback("Disconnected", Date.now() + 3_600_000));
  await letTimePass(stack.admin, 60);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 0);
  const released = await administer(stack, "POST", "/queue/release", {
    body: { instanceId: tenant.instanceId },
  });
  assertEquals([released.status, released.body.instances], [200, 1]);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 1, "what waited beside the queue leaves");
  assertEquals((await health(client, tenant)).status, "ok");
  await client.zapi(tenant, zapiCallback("Disconnected"));
  assertEquals((await health(client, tenant)).status, "disconnected");
  const changed = await administer(stack, "PATCH", `/instances/${tenant.instanceId}`, {
    body: {
      providerConfig: {
        gatewayInstanceId: tenant.gatewayInstanceId,
        token: "a-new-token",
        webhookSecret: "another-secret-of-the-webhook",
      },
    },
  });
  assertEquals(changed.status, 200, JSON.stringify(changed.body));
  assertEquals((await health(client, tenant)).connection.state, "unknown");
});

Deno.test("a restriction of the official channel stops the queue until its end; one that stops no message does not", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const restrict = (type: string, expiration: number): Promise<unknown> =>
    client.cloud(
      tenant,
      accountUpdate({
        event: "ACCOUNT_RESTRICTION",
        restriction_info: [{ restriction_type: type, expiration }],
      }),
    );
  const end = Math.floor(Date.now() / 1_000) + 3_600;
  await restrict("RESTRICTED_ADD_PHONE_NUMBER_ACTION", end);
  assertEquals((await health(client, tenant)).status, "ok");
  await restrict("RESTRICTED_BIZ_INITIATED_MESSAGING", end);
  const restricted = await health(client, tenant);
  assertEquals(restricted.status, "disconnected");
  assertEquals(Date.parse(restricted.connection.until), end * 1_000);
  const [[type, data] = []] = await eventsOf(client, tenant) as Body[][];
  assertEquals([type, Date.parse(data.until)], ["instance.disconnected", end * 1_000]);
  await letTimePass(client.stack.admin, 3_601);
  assertEquals((await health(client, tenant)).status, "ok");
});

Deno.test("news of an official account concern every instance of it, those of a number its own", async () => {
  await using client = await createWebhookClient();
  const one = await client.createTenant({ provider: "whatsapp_cloud" });
  const config = { phoneNumberId: "900900", wabaId: "104" };
  await client.stack.admin`update messaging.instances set connected_phone = '551140009999',
    connected_phone_key = messaging.phone_identity_key('551140009999') where id = ${one.instanceId}`;
  const other = await client.createTenant({
    provider: "whatsapp_cloud",
    workspaceId: one.workspaceId,
    providerConfig: config,
  });
  await client.cloud(one, accountUpdate(ban));
  assertEquals((await health(client, one)).status, "disconnected");
  assertEquals((await health(client, other)).status, "disconnected");
  const quality = (current_limit: string, secondsLater = 0): Body => ({
    object: "whatsapp_business_account",
    entry: [{
      id: "104",
      time: Math.floor(Date.now() / 1_000) + secondsLater,
      changes: [{
        field: "phone_number_quality_update",
        value: {
          ...{ display_phone_number: "+55 11 4000-9999", event: "DOWNGRADE" },
          ...{ old_limit: "TIER_10K", current_limit },
        },
      }],
    }],
  });
  // One event, told twice: a second one would be of another second.
  const downgrade = quality("TIER_2K");
  await client.cloud(one, downgrade);
  await client.cloud(one, downgrade);
  const changes = async (tenant: Tenant): Promise<readonly Body[]> =>
    (await eventsOf(client, tenant)).filter(([type]) => type === "instance.limit_changed");
  assertEquals(await changes(one), [["instance.limit_changed", {
    ...{ reason: "DOWNGRADE", limit: "TIER_2K", previousLimit: null },
    ...{ effectiveAt: null, allowance },
  }]]);
  assertEquals(await changes(other), []);
  assertEquals((await health(client, one)).channelLimit, "TIER_2K");
  // The channel repeats a limit with each judgement of the number's quality.
  await client.cloud(one, quality("TIER_2K", 1));
  await client.cloud(one, quality("TIER_10K", 2));
  assertEquals((await changes(one)).slice(1), [["instance.limit_changed", {
    ...{ reason: "DOWNGRADE", limit: "TIER_10K", previousLimit: "TIER_2K" },
    ...{ effectiveAt: null, allowance },
  }]]);
});

Deno.test("news of a number are the instance's that they come to, unless another one of the account has it", async () => {
  await using client = await createWebhookClient();
  const one = await client.createTenant({ provider: "whatsapp_cloud" });
  // Neither of them is of the account.
  const strangers = [
    await client.createTenant({ workspaceId: one.workspaceId }),
    await client.createTenant({ provider: "whatsapp_cloud" }),
  ];
  for (const [place, { instanceId }] of strangers.entries()) {
    const number = `55114000888${place}`;
    await client.stack.admin`update messaging.instances set connected_phone = ${number},
      connected_phone_key = messaging.phone_identity_key(${number}) where id = ${instanceId}`;
    const limit = `TIER_${place + 1}K`;
    const value = { display_phone_number: number, event: "DOWNGRADE", current_limit: limit };
    const changes = [{ field: "phone_number_quality_update", value }];
    const time = Math.floor(Date.now() / 1_000) + place;
    await client.cloud(one, {
      object: "whatsapp_business_account",
      entry: [{ id: "104", time, changes }],
    });
    assertEquals((await health(client, one)).channelLimit, limit);
  }
});

Deno.test("a violation and a planned ban are told once and stop nothing; a number that left stops its own instance", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const violation = { event: "ACCOUNT_VIOLATION", violation_info: { violation_type: "SCAM" } };
  const now = Date.now();
  const effectiveAt = new Date(now + 7 * 86_400_000).toISOString().replace(/T.*/, "T00:00:00.000Z");
  const waba_ban_date = effectiveAt.slice(0, 10);
  const ban_info = { waba_ban_state: "SCHEDULE_FOR_DISABLE", waba_ban_date };
  for (const _ of ["told", "told again"]) {
    await client.cloud(tenant, accountUpdate(violation, now));
  }
  for (const _ of ["told", "told again"]) {
    await client.cloud(tenant, accountUpdate({ event: "DISABLED_UPDATE", ban_info }, now + 1_000));
  }
  const left = { event: "ACCOUNT_OFFBOARDED", disconnection_info: { reason: "CHANGE_NUMBER" } };
  assertEquals((await health(client, tenant)).status, "ok");
  const other = { ...left, phone_number: "551140005555" };
  await createNeighbour(client, tenant, "551140005555");
  await client.cloud(tenant, accountUpdate(other, now + 2_000));
  assertEquals((await health(client, tenant)).status, "ok");
  await client.cloud(tenant, accountUpdate(left, now + 3_000));
  assertEquals((await health(client, tenant)).status, "disconnected");
  await client.cloud(tenant, accountUpdate({ event: "ACCOUNT_RECONNECTED" }, now + 4_000));
  assertEquals((await health(client, tenant)).status, "ok");
  const limit = { limit: null, previousLimit: null, allowance };
  assertEquals(await eventsOf(client, tenant), [
    ["instance.limit_changed", { ...limit, reason: "ACCOUNT_VIOLATION: SCAM", effectiveAt: null }],
    ["instance.limit_changed", { ...limit, reason: "SCHEDULE_FOR_DISABLE", effectiveAt }],
    ["instance.disconnected", lost("ACCOUNT_OFFBOARDED: CHANGE_NUMBER")],
    ["instance.connected", { reason: null }],
  ]);
});

/** Another instance of the workspace, with this number. */
async function createNeighbour(
  client: WebhookClient,
  { workspaceId }: Tenant,
  number: string,
): Promise<void> {
  const { instanceId } = await client.createTenant({
    ...{ provider: "whatsapp_cloud", workspaceId },
    providerConfig: { phoneNumberId: "900901", wabaId: "104" },
  });
  await client.stack.admin`update messaging.instances set connected_phone = ${number},
    connected_phone_key = messaging.phone_identity_key(${number}) where id = ${instanceId}`;
}

Deno.test("a gateway that confirms nothing any more is held as suspect, and a confirmation or a message lifts it", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant();
  let sent = 0;
  stack.provider.answer = () => Response.json({ messageId: `wa-${++sent}`, zaapId: `z-${sent}` });
  const confirm = (id: string): Promise<unknown> =>
    client.zapi(tenant, { type: "MessageStatusCallback", status: "RECEIVED", ids: [id] });
  const sendMany = async (count: number): Promise<void> => {
    for (let each = 0; each < count; each++) await stack.send(tenant, to);
  };
  await sendMany(20);
  await letTimePass(stack.admin, 700);
  await stack.dispatch();
  assertEquals((await health(client, tenant)).status, "ok", "it has never confirmed anything");

  await confirm("wa-1");
  await letTimePass(stack.admin, 60);
  await sendMany(19);
  await letTimePass(stack.admin, 700);
  await stack.dispatch();
  assertEquals((await health(client, tenant)).status, "ok", "19 messages since");
  await sendMany(1);
  await stack.dispatch();
  const suspect = await health(client, tenant);
  assertEquals([suspect.status, suspect.holdReason, suspect.heldUntil], ["held", "suspect", null]);
  assertEquals(await eventsOf(client, tenant), [
    ["instance.held", {
      ...{ heldBy: "operator_hold", holdReason: "suspect", holdCode: null, heldUntil: null },
      reason: "suspect",
    }],
  ]);
  await stack.send(tenant, queued);
  const calls = stack.provider.requests.length;
  await letTimePass(stack.admin, 60);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, calls, "the queue stops");

  await confirm("wa-40");
  assertEquals((await health(client, tenant)).holdReason, null);
  await stack.dispatch();
  assert(stack.provider.requests.length > calls);

  await letTimePass(stack.admin, 60);
  await sendMany(21);
  await letTimePass(stack.admin, 700);
  await stack.dispatch();
  assertEquals((await health(client, tenant)).holdReason, "suspect");
  await client.receive(tenant, { messageId: "in-1", text: { message: "Oi" } });
  assertEquals((await health(client, tenant)).holdReason, null);

  await letTimePass(stack.admin, 60);
  await sendMany(21);
  await letTimePass(stack.admin, 700);
  await stack.dispatch();
  assertEquals((await health(client, tenant)).holdReason, "suspect");
  await administer(stack, "POST", "/queue/release", { body: { instanceId: tenant.instanceId } });
  await stack.dispatch();
  assertEquals((await health(client, tenant)).holdReason, null, "the operator trusts it");
});

Deno.test("reactions that nobody confirms make no gateway suspect, and one that a contact sends lifts it", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant();
  let sent = 0;
  stack.provider.answer = () => Response.json({ messageId: `wa-${++sent}`, zaapId: `z-${sent}` });
  const sendMany = async (count: number, message: Body): Promise<void> => {
    for (let each = 0; each < count; each++) await stack.send(tenant, { ...to, ...message });
  };
  await client.receive(tenant, { messageId: "in-1", phone: to.phone, text: { message: "Oi" } });
  const [{ id: messageId } = {}] = await client.messages(tenant);
  await sendMany(1, {});
  await client.zapi(tenant, { type: "MessageStatusCallback", status: "RECEIVED", ids: ["wa-1"] });
  await letTimePass(stack.admin, 60);
  const reaction = { messageType: "reaction", message: undefined };
  await sendMany(19, {});
  await sendMany(21, { ...reaction, reaction: { messageId, emoji: "👍" } });
  assertEquals(sent, 41);
  await letTimePass(stack.admin, 700);
  await stack.dispatch();
  assertEquals((await health(client, tenant)).holdReason, null, "19 messages since");

  await sendMany(1, {});
  await stack.dispatch();
  assertEquals((await health(client, tenant)).holdReason, "suspect");
  await client.receive(tenant, {
    ...{ messageId: "in-2", phone: to.phone },
    reaction: { value: "👍", referencedMessage: { messageId: "wa-1", fromMe: true } },
  });
  assertEquals((await health(client, tenant)).holdReason, null);
});

const gateways: readonly (readonly [
  ProviderKind,
  (client: WebhookClient, tenant: Tenant, phone: string) => Promise<{ readonly status: number }>,
])[] = [
  ["zapi", (client, tenant, phone) => client.zapi(tenant, { ...zapiCallback("Connected"), phone })],
  ["evolution", (client, tenant, phone) => {
    const update = evolutionUpdate("open");
    return client.evolution(tenant, {
      ...update,
      data: { ...update.data, wuid: `${phone}:12@s.whatsapp.net` },
    });
  }],
];

for (const [provider, connect] of gateways) {
  Deno.test(`${provider}: a session of a wrong phone holds the queue until the right one is there`, async () => {
    await using client = await createWebhookClient();
    const { stack } = client;
    const tenant = await client.createTenant({ provider });
    await stack.admin`update messaging.workspaces set alert_email = 'alerta@example.com'`;
    assertEquals((await connect(client, tenant, "5521977776666")).status, 200);

    const paced = (await stack.send(tenant, queued)).body;
    const delayed = (await stack.send(tenant, { ...to, delayMessage: 60 })).body;

    const hold = {
      heldBy: "wrong_phone",
      holdReason: "wrong_phone",
      holdCode: null,
      heldUntil: null,
    };
    assertEquals([paced.heldBy, paced.holdReason, paced.scheduledFor], [
      "wrong_phone",
      "wrong_phone",
      null,
    ]);
    assertEquals(delayed.heldBy, "wrong_phone");
    await letTimePass(stack.admin, 3_600);
    await stack.dispatch();
    assertEquals(stack.provider.requests.length, 0, "nothing leaves under a wrong number");
    assertEquals((await queueOf(client, tenant)).items.map((item: Body) => item.heldBy), [
      ...["wrong_phone", "wrong_phone"],
    ]);
    const held = await health(client, tenant);
    assertEquals([held.status, held.connection.state, held.heldBy], [
      "held",
      "connected",
      "wrong_phone",
    ]);
    const service = (await administer(stack, "GET", "/health")).body;
    assertEquals([service.status, service.attention[0].heldBy], ["held", "wrong_phone"]);
    const [email] = await stack.admin`
      select payload from messaging.outbox where kind = 'instance_held_email'`;
    assertEquals(email?.["payload"].holdReason, "wrong_phone");
    await stack.send(tenant, to);
    assertEquals(stack.provider.requests.length, 1, "an immediate send is tried");

    await connect(client, tenant, tenant.connectedPhone);
    await stack.dispatch();
    assertEquals(stack.provider.requests.length, 3, "both leave");
    assertEquals((await health(client, tenant)).heldBy, null);
    assertEquals(await eventsOf(client, tenant), [
      ["instance.connected", { reason: null }],
      ["instance.held", { reason: "wrong_phone", ...hold }],
    ]);
  });
}

Deno.test("an operator who releases an instance by name takes its phone as the right one", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "zapi" });
  await client.zapi(tenant, { ...zapiCallback("Connected"), phone: "5521977776666" });
  assertEquals((await health(client, tenant)).heldBy, "wrong_phone");
  const body = { instanceId: tenant.instanceId };
  const released = await administer(client.stack, "POST", "/queue/release", { body });
  assertEquals([released.status, released.body.instances], [200, 1]);
  assertEquals((await health(client, tenant)).heldBy, null);
  const { phone: _, ...namesNone } = zapiCallback("Connected", Date.now() + 1_000);
  await client.zapi(tenant, namesNone);
  assertEquals((await health(client, tenant)).heldBy, null, "until a phone is told anew");
});
