/** Why a message does not leave: the same word wherever it is told, until the reason ends. */

import { assert, assertEquals } from "../../support/assert.ts";
import { passMonthEnd } from "../../support/clock_edges.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { changeBatch, createBatch, readRecipients } from "../../support/fixtures/batch_calls.ts";
import { replaceRates, setBudget } from "../../support/fixtures/budgets.ts";
import { protect } from "../../support/fixtures/protected_tenant.ts";
import { findMiddayZone } from "../../support/midday_zone.ts";
import type { Tenant, TenantOptions } from "../../support/fixtures/tenant.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Json = any;

const text = { phone: "5511987654321", messageType: "text", message: "Oi" };
const queued = { ...text, queued: true, intervalSeconds: 60 };
const marketing = { purpose: "marketing" };
const day = 86_400;
/** The day where it is noon: see `findMiddayZone`. */
const today = new Date(Date.now() + (12 - new Date().getUTCHours()) * 3_600_000);
const otherDays = [1, 2, 3, 4, 5, 6, 7].filter((isoDay) => isoDay % 7 !== today.getUTCDay());

interface Reason {
  readonly name: string;
  readonly heldBy: string;
  readonly tenant?: TenantOptions;
  readonly protection?: Readonly<Record<string, unknown>>;
  /** Of the message whose answer is looked at. */
  readonly message: Readonly<Record<string, unknown>>;
  /** What is queued before it; the reason may keep none of it. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly begin?: (stack: MessagingStack, tenant: Tenant) => Promise<unknown>;
  /** Default: time passes, and no dispatcher runs. */
  readonly end?: (stack: MessagingStack, tenant: Tenant) => Promise<unknown>;
}

async function spendBudget(
  stack: MessagingStack,
  tenant: Tenant,
  ...stops: string[]
): Promise<void> {
  await passMonthEnd();
  await replaceRates(stack.admin, tenant);
  await setBudget(stack.admin, tenant, "0", ...stops);
}

const budget: Pick<Reason, "heldBy" | "tenant" | "begin" | "end"> = {
  heldBy: "budget",
  tenant: { provider: "whatsapp_cloud" },
  begin: (stack, tenant) => spendBudget(stack, tenant, "marketing"),
  end: (stack, tenant) => setBudget(stack.admin, tenant, "100", "marketing"),
};

const other = "5511900000001";
const dayLimits: readonly Reason[] = [
  {
    name: "the limit of the day",
    heldBy: "daily_limit",
    protection: { dailyLimit: 1 },
    message: queued,
    before: { ...text, phone: other },
  },
  {
    name: "the new contacts of the day",
    heldBy: "new_contacts",
    protection: { newContactsPerDay: 1 },
    message: queued,
    before: { ...text, phone: other },
  },
  {
    name: "the warm-up",
    heldBy: "warm_up",
    protection: { dailyLimit: 100, warmUp: { startPerDay: 1, rampDays: 30 } },
    message: queued,
    before: { ...text, phone: other },
  },
];
const reasons: readonly Reason[] = [
  {
    name: "the interval",
    heldBy: "interval",
    message: queued,
    before: { ...queued, phone: other },
  },
  {
    name: "a closed window",
    heldBy: "window",
    tenant: { window: { start: "00:00", end: "24:00", days: otherDays } },
    message: queued,
    end: async (stack) => {
      await stack.admin`update messaging.instances set window_days = '{1,2,3,4,5,6,7}'`;
      await letTimePass(stack.admin, 8 * day);
    },
  },
  {
    name: "a holiday",
    heldBy: "holiday",
    tenant: { holidays: [today.toISOString().slice(0, 10)] },
    message: queued,
    end: (stack) => stack.admin`delete from messaging.holidays`,
  },
  { name: "a delay beside the queue", heldBy: "delay", message: { ...text, delayMessage: 600 } },
  { name: "a delay in the queue", heldBy: "delay", message: { ...queued, delayMessage: 600 } },
  {
    name: "an instant of the caller's",
    heldBy: "delay",
    message: { ...queued, sendAt: new Date(Date.now() + 3 * day * 1_000).toISOString() },
  },
  ...dayLimits,
  // Its slot stays on the later day: only what put it there is over.
  ...dayLimits.map((reason): Reason => ({
    ...reason,
    name: `${reason.name}, until there is none`,
    end: (stack, { instanceId }) => protect(stack.admin, instanceId, null),
  })),
  { name: "the budget, sent at once", ...budget, message: { ...text, ...marketing } },
  { name: "the budget, queued", ...budget, message: { ...queued, ...marketing } },
  {
    name: "the budget, behind others in the queue",
    ...budget,
    message: { ...queued, ...marketing },
    before: { ...queued, ...marketing, phone: other },
  },
];

async function readAll(
  stack: MessagingStack,
  tenant: Tenant,
  messageId: string,
): Promise<Readonly<Record<string, Json>>> {
  const named = (items: Json[]): Json => items.find((item) => item.messageId === messageId);
  const of = async (path: string): Promise<Json> =>
    (await stack.messages(tenant, "GET", path)).body;
  return {
    message: await of(`/messages/${messageId}`),
    list: named((await of("/messages?status=queued")).items),
    queue: named((await of("/queue")).items),
  };
}

async function readHealth(stack: MessagingStack, tenant: Tenant): Promise<Json> {
  return (await stack.messages(tenant, "GET", "/health")).body;
}

async function startReason(stack: MessagingStack, reason: Reason): Promise<[Tenant, Json]> {
  const tenant = await stack.createTenant({ timeZone: findMiddayZone(), ...reason.tenant });
  if (reason.protection) await protect(stack.admin, tenant.instanceId, reason.protection);
  await reason.begin?.(stack, tenant);
  // No background run takes what may leave now.
  if (reason.before) {
    assertEquals((await stack.send(tenant, reason.before)).status, 200);
    await stack.finishBackground();
  }
  const answer = await stack.send(tenant, reason.message);
  assertEquals(answer.status, 200, JSON.stringify(answer.body));
  return [tenant, answer.body];
}

for (const reason of reasons) {
  Deno.test(`one answer to why a message waits, and it ends: ${reason.name}`, async () => {
    await using stack = await startMessagingStack();
    const [tenant, answer] = await startReason(stack, reason);
    assertEquals([answer.status, answer.heldBy], ["queued", reason.heldBy]);
    assertEquals([answer.holdReason, answer.heldUntil], [undefined, undefined]);
    const { scheduledFor } = answer;
    for (const [place, told] of Object.entries(await readAll(stack, tenant, answer.messageId))) {
      assertEquals([place, told.heldBy], [place, reason.heldBy]);
      // The interval counts from when the one before has really left.
      const movedMs = Date.parse(told.scheduledFor) - Date.parse(scheduledFor);
      assert(reason.heldBy === "interval" ? movedMs >= 0 : movedMs === 0, `${place}: ${movedMs}`);
      assertEquals([told.holdReason, told.holdCode, told.heldUntil], [null, null, null], place);
    }
    const health = await readHealth(stack, tenant);
    assertEquals([health.status, health.heldBy], ["ok", reason.heldBy]);

    const end = reason.end ?? (() => letTimePass(stack.admin, 5 * day));
    await end(stack, tenant);
    for (const [place, told] of Object.entries(await readAll(stack, tenant, answer.messageId))) {
      assert(told.heldBy !== reason.heldBy, `${place}: ${told.heldBy}`);
    }
    assert((await readHealth(stack, tenant)).heldBy !== reason.heldBy);
  });
}

Deno.test("a message that may leave and does not is held by nothing: health says that it is late", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { body } = await stack.send(tenant, { ...text, delayMessage: 60 });
  await letTimePass(stack.admin, 600);
  for (const [place, told] of Object.entries(await readAll(stack, tenant, body.messageId))) {
    assertEquals([place, told.heldBy], [place, null]);
  }
  const health = await readHealth(stack, tenant);
  assertEquals([health.status, health.heldBy], ["late", null]);
});

Deno.test("what is tried again waits for its next attempt once the hold is over, also where its interval is longer", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const error = { message: "Service unavailable", code: 131016 };
  stack.provider.answer = () => Response.json({ error }, { status: 503 });
  const { body } = await stack.send(tenant, queued);
  await stack.finishBackground();
  await letTimePass(stack.admin, 3);
  const waiting = await readAll(stack, tenant, body.messageId);
  for (
    const [place, told] of Object.entries({ ...waiting, health: await readHealth(stack, tenant) })
  ) {
    assertEquals([place, told.heldBy], [place, "delay"]);
  }
  assertEquals(waiting["message"].lastError.code, "131016");
});

Deno.test("what was queued before its budget was reached says so from then on, and what the budget does not stop never does", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const send = async (purpose: string): Promise<string> =>
    (await stack.send(tenant, { ...queued, delayMessage: 600, purpose })).body.messageId;
  const [stopped, free] = [await send("marketing"), await send("utility")];
  const heldBy = async (messageId: string): Promise<(string | null)[]> =>
    Object.values(await readAll(stack, tenant, messageId)).map((told) => told.heldBy);
  assertEquals(await heldBy(stopped), ["delay", "delay", "delay"]);
  await spendBudget(stack, tenant, "marketing");
  assertEquals(await heldBy(stopped), ["budget", "budget", "budget"]);
  assert(!(await heldBy(free)).includes("budget"));
  await setBudget(stack.admin, tenant, null);
  assertEquals(await heldBy(stopped), ["delay", "delay", "delay"]);
});

Deno.test("a marketing message under a reached budget pauses no agent before it leaves", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  await stack.admin`
    insert into messaging.ai_agents (instance_id, name, instructions, model)
    values (${tenant.instanceId}, 'Ana', 'Seja breve.', 'm')`;
  const free = await stack.send(tenant, { ...queued, delayMessage: 60, ...marketing });
  assert(free.body.aiAgentPausedUntil !== null);
  await spendBudget(stack, tenant, "marketing");
  const held = await stack.send(tenant, { ...queued, phone: other, ...marketing });
  assertEquals([held.body.heldBy, held.body.aiAgentPausedUntil], ["budget", null]);
});

Deno.test("what a paused batch keeps says so, the message that it took back and whom it has not come to, until it goes on", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant, { intervalSeconds: 60 });
  await changeBatch(stack, tenant, batchId, "start");
  await stack.finishBackground();
  const recipients = (): Promise<Json[]> => readRecipients(stack, tenant, batchId);
  const { messageId } = (await recipients()).find((one) => one.status === "queued");
  const readMessage = async (): Promise<Json[]> => [
    (await stack.messages(tenant, "GET", `/messages/${messageId}`)).body,
    ...(await stack.messages(tenant, "GET", `/messages?batchId=${batchId}`)).body.items
      .filter((one: Json) => one.messageId === messageId),
  ];
  const reasons = async (): Promise<(string | null)[]> =>
    (await readMessage()).map((one) => one.heldBy);

  await changeBatch(stack, tenant, batchId, "pause");
  assertEquals(await reasons(), ["batch_paused", "batch_paused"]);
  for (const order of ["asc", "desc"]) {
    const path = `/messages?status=queued${order === "desc" ? "&order=desc" : ""}`;
    const { items } = (await stack.messages(tenant, "GET", path)).body;
    assertEquals(items.map((one: Json) => [one.messageId, one.heldBy]), [
      [messageId, "batch_paused"],
    ]);
  }
  for (const { status, heldBy, scheduledFor } of await recipients()) {
    assertEquals([status, heldBy, scheduledFor], ["pending", "batch_paused", null]);
  }
  await changeBatch(stack, tenant, batchId, "resume");
  await stack.finishBackground();
  for (const { heldBy } of [...await readMessage(), ...await recipients()]) {
    assert(heldBy !== "batch_paused", "it goes on");
  }
  await changeBatch(stack, tenant, batchId, "pause");
  await changeBatch(stack, tenant, batchId, "cancel");
  assertEquals(await reasons(), [null, null]);
});
