import { emailKinds, outboxKinds } from "../../../shared/model/outbox_kinds.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { assertEquals } from "../../support/assert.ts";
import { createOperator, type Tenant } from "../../support/fixtures/tenant.ts";
import { administer } from "../../support/stack/admin_calls.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

async function accept(
  stack: MessagingStack,
  tenant: Tenant,
  how: Record<string, unknown> = {},
): Promise<string> {
  const answer = await stack.send(tenant, {
    ...{ phone: "5511987654321", messageType: "text", message: "Olá", delayMessage: 3_600 },
    ...how,
  });
  assertEquals(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.messageId;
}

/** Lets the time of these messages come. */
async function makeDue({ admin }: MessagingStack, messageIds: readonly string[]): Promise<void> {
  await admin`
    update messaging.message_queue
    set scheduled_at = now(), visible_at = case when visible_at is not null then now() end
    where message_id = any (${[...messageIds]})`;
}

/** As a dump finds a message whose process was killed: claimed, its lease long over. */
async function makeInFlight({ admin }: MessagingStack, messageId: string): Promise<void> {
  await admin`
    update messaging.message_queue
    set claim_token = gen_random_uuid(), lease_until = now(),
      visible_at = case when visible_at is not null then now() end
    where message_id = ${messageId}`;
  await admin`
    update messaging.dispatch d set in_flight = q.message_id, lease_until = q.lease_until
    from messaging.message_queue q
    where q.message_id = ${messageId} and q.lane = 'paced' and d.instance_id = q.instance_id`;
}

async function readStatus(
  stack: MessagingStack,
  tenant: Tenant,
  id: string,
): Promise<(string | null)[]> {
  const path = `/messages/${id}?instanceId=${tenant.instanceId}`;
  const { body } = await stack.messages(tenant, "GET", path);
  return [body.status, body.lastError?.code ?? null];
}

interface Restored {
  readonly tenant: Tenant;
  readonly other: Tenant;
  readonly since: string;
  readonly due: readonly string[];
  readonly inFlight: string;
  readonly future: string;
  readonly later: string;
}

/** What a restored database holds, under a hold; with one message that was accepted after `since`. */
async function createRestored(stack: MessagingStack): Promise<Restored> {
  const [tenant, other] = [await stack.createTenant(), await stack.createTenant()];
  const paced = { queued: true, intervalSeconds: 10 };
  const due = [await accept(stack, tenant), await accept(stack, tenant, paced)];
  const inFlight = await accept(stack, tenant, paced);
  const future = await accept(stack, tenant);
  await accept(stack, other);
  const operatorId = await createOperator(stack.admin, tenant.workspaceId, {
    name: "Ana",
    email: "ana@example.com",
  });
  await administer(stack, "POST", "/queue/hold", { body: {} });
  await stack.send(tenant, { phone: "5511987654321", assignTo: operatorId });
  const [{ since } = { since: "" }] = await stack.admin<{ since: string }[]>`
    select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as since`;
  const later = await accept(stack, tenant);
  await makeDue(stack, [...due, later]);
  await makeInFlight(stack, inFlight);
  return { tenant, other, since, due, inFlight, future, later };
}

async function list(stack: MessagingStack, since: string, more = ""): Promise<Body> {
  const path = `/queue/may-have-left?since=${encodeURIComponent(since)}${more}`;
  const { status, body } = await administer(stack, "GET", path);
  assertEquals(status, 200, JSON.stringify(body));
  return body;
}

Deno.test("what may have left is what was due, in flight or promised at the dump, and nothing that came later", async () => {
  await using stack = await startMessagingStack();
  const { tenant, other, since, due, inFlight } = await createRestored(stack);
  const body = await list(stack, since);
  assertEquals([body.total, body.acceptedSince, body.nextCursor], [3, 1, null]);
  assertEquals(body.instances, [{
    ...{ instanceId: tenant.instanceId, name: "Loja", waiting: 2, inFlight: 1 },
    ...{ unconfirmed: 0, emails: 1, agentReplies: 0 },
  }]);
  const states = body.items.map((item: Body) => [item.messageId, item.state]);
  assertEquals(
    states.sort(),
    [
      ...due.map((id) => [id, "waiting"]),
      [inFlight, "in_flight"],
    ].sort(),
  );
  const ofOther = await list(stack, since, `&instanceId=${other.instanceId}`);
  assertEquals([ofOther.total, ofOther.instances], [0, []]);
  const early = await list(stack, since, "&until=2020-01-01T00:00:00Z");
  assertEquals(early.items.map((item: Body) => item.state), ["in_flight"]);
});

Deno.test("every kind of e-mail that may have gone out is counted as one, and an agent's reply as that", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.admin`
    insert into messaging.outbox (workspace_id, kind, payload)
    select ${tenant.workspaceId}, kind, jsonb_build_object('instanceId', ${tenant.instanceId}::text)
    from unnest(${[...outboxKinds]}::text[]) as kind`;
  const [counts] = (await list(stack, new Date(Date.now() + 1_000).toISOString())).instances;
  assertEquals([counts.emails, counts.agentReplies], [emailKinds.length, 1]);
});

Deno.test("the list of what may have left comes in pages, each message once", async () => {
  await using stack = await startMessagingStack();
  const { since } = await createRestored(stack);
  const seen: string[] = [];
  for (let cursor = "";;) {
    const page = await list(stack, since, `&limit=1${cursor}`);
    seen.push(...page.items.map((item: Body) => item.messageId));
    if (page.nextCursor === null) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  assertEquals([seen.length, new Set(seen).size], [3, 3]);
});

const outcomes = [
  { action: "unconfirmed", waiting: ["unconfirmed", "may_have_left"], counts: [3, 0, 1] },
  { action: "cancel", waiting: ["canceled", null], counts: [1, 2, 1] },
  { action: "keep", waiting: ["queued", null], counts: [1, 0, 0] },
] as const;

for (const { action, waiting, counts } of outcomes) {
  Deno.test(`settling as ${action} makes what waited ${waiting[0]} and what was in flight unconfirmed, and leaves the rest`, async () => {
    await using stack = await startMessagingStack();
    const restored = await createRestored(stack);
    const { tenant, since, due, inFlight, future, later } = restored;
    const { body } = await administer(stack, "POST", "/queue/may-have-left/settle", {
      body: { since, action },
    });
    const { unconfirmed, canceled, outboxRows, remaining } = body;
    assertEquals([unconfirmed, canceled, outboxRows, remaining], [...counts, 0]);
    for (const id of due) assertEquals(await readStatus(stack, tenant, id), [...waiting]);
    assertEquals(await readStatus(stack, tenant, inFlight), ["unconfirmed", "may_have_left"]);
    assertEquals(await readStatus(stack, tenant, future), ["queued", null]);
    assertEquals(await readStatus(stack, tenant, later), ["queued", null]);
    const left = await list(stack, since);
    assertEquals(left.total, action === "keep" ? 2 : 0);

    await administer(stack, "POST", "/queue/release", { body: {} });
    // Longer than the interval, which counts from the end of what may have been in flight.
    await letTimePass(stack.admin, 11);
    const report = await stack.dispatch({ durationMs: 500 });
    assertEquals(report.accepted, action === "keep" ? 3 : 1);
    assertEquals(stack.mail.requests.length, action === "keep" ? 1 : 0);
    assertEquals(report.expiredClaims, 0);
  });
}

Deno.test("what an operator has settled as unconfirmed is not retried, though the instance retries what is in doubt", async () => {
  await using stack = await startMessagingStack();
  const { tenant, since } = await createRestored(stack);
  await stack.admin`update messaging.instances set on_unconfirmed = 'retry'`;
  const body = { since, action: "unconfirmed" };
  await administer(stack, "POST", "/queue/may-have-left/settle", { body });
  await stack.admin`
    update messaging.messages set unconfirmed_at = unconfirmed_at - interval '20 minutes'
    where instance_id = ${tenant.instanceId} and status = 'unconfirmed'`;
  await administer(stack, "POST", "/queue/release", { body: {} });
  assertEquals((await stack.dispatch()).requeued, 0);
});

Deno.test("a message in doubt that would be retried by itself is listed, until it is settled", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ onUnconfirmed: "retry" });
  const messageId = await accept(stack, tenant, { delayMessage: 0 });
  await stack.admin`
    update messaging.messages set status = 'unconfirmed', sent_at = null,
      unconfirmed_at = now() - interval '20 minutes' where id = ${messageId}`;
  const since = new Date(Date.now() + 1_000).toISOString();
  const { items } = await list(stack, since);
  assertEquals(items.map((item: Body) => item.state), ["unconfirmed"]);
  await administer(stack, "POST", "/queue/may-have-left/settle", {
    body: { since, action: "cancel" },
  });
  assertEquals((await list(stack, since)).total, 0);
  assertEquals(await readStatus(stack, tenant, messageId), ["unconfirmed", "may_have_left"]);
});

Deno.test("of what is in doubt that is listed which came into doubt since the dump, or would be sent again by itself", async () => {
  await using stack = await startMessagingStack();
  const [retrying, holding] = [
    await stack.createTenant({ onUnconfirmed: "retry" }),
    await stack.createTenant(),
  ];
  const doubt = async (tenant: Tenant, minutesAgo: number, attempts = 1): Promise<string> => {
    const messageId = await accept(stack, tenant, { delayMessage: 0 });
    await stack.admin`
      update messaging.messages set status = 'unconfirmed', sent_at = null, attempts = ${attempts},
        unconfirmed_at = now() - make_interval(mins => ${minutesAgo}) where id = ${messageId}`;
    return messageId;
  };
  const again = await doubt(retrying, 23 * 60);
  await doubt(retrying, 25 * 60);
  await doubt(retrying, 20, 6);
  await doubt(holding, 20);
  const sent = await accept(stack, holding, { delayMessage: 0 });
  const since = new Date().toISOString();
  await stack.admin`
    update messaging.messages set status = 'unconfirmed', sent_at = null, unconfirmed_at = now()
    where id = ${sent}`;
  const { items } = await list(stack, since);
  assertEquals(
    items.map((item: Body) => [item.messageId, item.state]),
    [[again, "unconfirmed"], [sent, "unconfirmed"]],
  );
});

Deno.test("a message that a living process is sending is left to it", async () => {
  await using stack = await startMessagingStack();
  const { since, inFlight, tenant } = await createRestored(stack);
  await stack.admin`
    update messaging.message_queue set lease_until = now() + interval '1 minute'
    where message_id = ${inFlight}`;
  const { body } = await administer(stack, "POST", "/queue/may-have-left/settle", {
    body: { since, action: "unconfirmed" },
  });
  assertEquals([body.unconfirmed, body.remaining], [2, 1]);
  assertEquals((await readStatus(stack, tenant, inFlight))[0], "sending");
});

Deno.test("an action that does not exist and a missing instant are refused, field by field", async () => {
  await using stack = await startMessagingStack();
  const { status, body } = await administer(stack, "POST", "/queue/may-have-left/settle", {
    body: { action: "forget" },
  });
  assertEquals([status, body.error], [400, "invalid_request"]);
  assertEquals(body.issues.map(({ path }: Body) => path).sort(), ["action", "since"]);
});
