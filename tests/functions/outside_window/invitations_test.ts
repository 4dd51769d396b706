import { assert, assertEquals } from "../../support/assert.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import { countWaiting } from "../../support/database/sessions.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { replaceRates, setBudget } from "../../support/fixtures/budgets.ts";
import { setPace } from "../../support/fixtures/paced_tenant.ts";
import { protect } from "../../support/fixtures/protected_tenant.ts";
import { findMiddayZone } from "../../support/midday_zone.ts";
import { administer } from "../../support/stack/admin_calls.ts";
import type { Answer } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { type LadderClient, phone, refuseCalls, startLadderClient } from "./ladder_client.ts";

const hour = 3_600;

/** A ladder of one invitation. */
async function createInvite(ladder: LadderClient): Promise<Record<string, unknown>[]> {
  const templateId = await ladder.createTemplate("resposta");
  return [{ invite: { templateId, variables: { 1: "{{message}}" } } }];
}

/** Lets the instance's send window be open for a minute that is hours ahead. */
async function closeWindow({ client: { stack } }: LadderClient): Promise<void> {
  await stack.admin`
    update messaging.instances set time_zone = 'UTC', window_start = opening.at,
      window_end = opening.at + interval '1 minute'
    from (
      select case when (now() at time zone 'UTC')::time < '12:00' then time '18:00'
        else time '06:00' end as at
    ) as opening`;
}

function readTexts(ladder: LadderClient): unknown[] {
  return ladder.client.stack.provider.requests.map(({ json }) =>
    (json["text"] as { readonly body?: string } | undefined)?.body ?? "template"
  );
}

Deno.test("two messages wait for one invitation, and leave in order as soon as the person writes", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const invite = await createInvite(ladder);
  const first = await ladder.send(invite, { message: "um" });
  assertEquals(
    [first.status, first.body.mode, first.body.status, first.body.heldBy, first.body.scheduledFor],
    [200, "scheduled", "queued", "awaiting_reply", null],
  );
  assertEquals(first.body.sentAs, "invitation");
  const second = await ladder.send(invite, { message: "dois" });
  assertEquals(second.body.invitationId, first.body.invitationId);
  const third = await ladder.send(invite, { message: "três" });
  await stack.dispatch();
  assertEquals(readTexts(ladder), ["template"]);
  const invitation = await ladder.read(first.body.invitationId);
  assertEquals(
    [invitation.status, invitation.messageType, invitation.invitationFor, invitation.template.name],
    ["sent", "template", first.body.messageId, "resposta"],
  );
  const waiting = await ladder.read(first.body.messageId);
  assertEquals(
    [waiting.heldBy, waiting.sentAs, waiting.scheduledFor, waiting.invitationId],
    ["awaiting_reply", "invitation", null, first.body.invitationId],
  );
  for (const order of ["", "&order=desc"]) {
    const { body } = await stack.messages(ladder.tenant, "GET", `/messages?status=queued${order}`);
    const listed = body.items.map((one: { messageId: string }) => one.messageId);
    const all = [first, second, third].map((one) => one.body.messageId);
    assertEquals(listed, order === "" ? all : all.toReversed(), "waits in no queue");
  }
  const endsInHours = (Date.parse(waiting.expiresAt) - Date.now()) / hour / 1_000;
  assert(endsInHours > 71.9 && endsInHours < 72.1, `${endsInHours}`);

  await ladder.write();
  await ladder.dispatchUntil(4);
  assertEquals(readTexts(ladder), ["template", "um", "dois", "três"]);
  for (const { body } of [first, second, third]) {
    const record = await ladder.read(body.messageId);
    assertEquals(
      [record.status, record.sentAs, record.attempts, record.expiresAt],
      ["sent", "message", 1, null],
    );
    assertEquals(await ladder.events(body.messageId), ["message.sent"]);
  }
  await ladder.write();
  await stack.dispatch();
  assertEquals(readTexts(ladder).length, 4);
});

Deno.test("40 callers at once send one invitation, and each message waits for its answer", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const invite = await createInvite(ladder);
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, place) => ladder.send(invite, { message: `text ${place}` })),
  );
  for (const { status, body } of answers) {
    assertEquals([status, body.heldBy], [200, "awaiting_reply"], JSON.stringify(body));
  }
  assertEquals(new Set(answers.map(({ body }) => body.invitationId)).size, 1);
  await stack.dispatch();
  assertEquals(readTexts(ladder), ["template"]);
  const [row] = await stack.admin`
    select count(*)::integer as waiting from messaging.messages
    where status = 'queued' and held_by = 'awaiting_reply'`;
  assertEquals(row?.["waiting"], 40);
});

Deno.test("no second invitation goes before the open one is 24 hours old", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const invite = await createInvite(ladder);
  const first = await ladder.send(invite);
  await letTimePass(stack.admin, 23 * hour);
  const second = await ladder.send(invite);
  assertEquals(second.body.invitationId, first.body.invitationId);
  await letTimePass(stack.admin, 2 * hour);
  const third = await ladder.send(invite);
  assert(third.body.invitationId !== first.body.invitationId);
  await stack.dispatch();
  assertEquals(ladder.calls(), ["template:resposta", "template:resposta"]);
  await ladder.write();
  await ladder.dispatchUntil(5);
  assertEquals(ladder.calls().slice(2), ["text", "text", "text"]);
});

Deno.test("no second invitation goes while the first one waits to leave, however long", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const invite = await createInvite(ladder);
  await closeWindow(ladder);
  const first = await ladder.send(invite, { queued: true });
  assertEquals((await ladder.read(first.body.invitationId)).heldBy, "window");
  await stack.admin`update messaging.messages set created_at = created_at - interval '25 hours'`;
  const second = await ladder.send(invite, { queued: true });
  assertEquals(second.body.invitationId, first.body.invitationId);
});

Deno.test("what was queued goes by the queue: the invitation, and what waited at the pace", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const invite = await createInvite(ladder);
  const queued = { queued: true, intervalSeconds: 60 };
  const askedAt = Date.now();
  const first = await ladder.send(invite, { ...queued, message: "um" });
  assertEquals([first.body.mode, first.body.heldBy], ["queued", "awaiting_reply"]);
  const second = await ladder.send(invite, { ...queued, message: "dois" });
  await stack.dispatch();
  assertEquals(readTexts(ladder), ["template"]);
  const lateMs = Date.now() - askedAt;
  const invitation = await ladder.read(first.body.invitationId);
  assertEquals(invitation.status, "sent");
  await ladder.write();
  const slots = await Promise.all(
    [first, second].map(async ({ body }) =>
      Date.parse((await ladder.read(body.messageId)).scheduledFor)
    ),
  );
  assert(slots[0]! - Date.now() > 30_000, "one interval after the invitation");
  // The first one's slot is told by when the invitation left, as late as that was; the second's keeps the
  // grid.
  const apart = slots[1]! - slots[0]!;
  assert(apart >= 59_000 - lateMs && apart <= 61_000, `${apart} ms, ${lateMs} ms late at most`);
  await letTimePass(stack.admin, 130);
  await stack.dispatch();
  assertEquals(readTexts(ladder)[1], "um");
});

Deno.test("an invitation keeps to the send window of what is queued", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const invite = await createInvite(ladder);
  await closeWindow(ladder);
  const sent = await ladder.send(invite, { queued: true });
  const invitation = await ladder.read(sent.body.invitationId);
  assertEquals([invitation.status, invitation.heldBy], ["queued", "window"]);
  await stack.dispatch();
  assertEquals(ladder.calls(), []);
});

Deno.test("a person who writes while the invitation is on its way gets the message", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const invite = await createInvite(ladder);
  stack.provider.answer = async (request) => {
    if (request.json["type"] === "template") await ladder.write();
    return acceptMessage(request);
  };
  const sent = await ladder.send(invite);
  await ladder.dispatchUntil(2);
  assertEquals(ladder.calls(), ["template:resposta", "text"]);
  assertEquals((await ladder.read(sent.body.messageId)).status, "sent");
});

Deno.test("a person who writes while the call is recorded is waited for: no message stays behind", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const invite = await createInvite(ladder);
  await ladder.knowPerson(30);
  for (const writesFirst of [true, false]) {
    await ladder.knowPerson(30);
    const sending: Promise<unknown>[] = [];
    await stack.admin.begin(async (transaction) => {
      await transaction`
        select from messaging.contacts where instance_id = ${ladder.tenant.instanceId}
        for update`;
      const acts = [() => ladder.write(), () => ladder.send(invite)];
      for (const act of writesFirst ? acts : acts.toReversed()) {
        sending.push(act());
        await untilBlocked(ladder, sending.length);
      }
    });
    await Promise.all(sending);
    await waitUntil(async () => {
      await stack.dispatch({ durationMs: 600 });
      const rows = await stack.admin`
        select m.status from messaging.messages m
        where m.direction = 'outbound' and m.message_type = 'text' and m.status <> 'sent'`;
      return rows.length === 0;
    }, { what: `the message where the person writes first: ${writesFirst}` });
  }
});

/** Waits until so many sessions wait for a lock. */
async function untilBlocked(ladder: LadderClient, sessions: number): Promise<void> {
  await waitUntil(async () => await countWaiting(ladder.client.stack.admin) >= sessions, {
    ...{ what: `${sessions} sessions that wait`, intervalMs: 10 },
  });
}

Deno.test("an invitation that is refused, at once or by a status, gives way to the next rung", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const [invite] = await createInvite(ladder);
  const templateId = await ladder.createTemplate("aviso");
  const rungs = [invite!, { template: { templateId, variables: { 1: "{{message}}" } } }];
  const told = await ladder.send(rungs);
  await stack.dispatch();
  const invitation = await ladder.read(told.body.invitationId);
  await ladder.tell(invitation.providerMessageId, "failed", 131049);
  await stack.dispatch();
  const record = await ladder.read(told.body.messageId);
  assertEquals([record.status, record.sentAs], ["sent", "template"]);
  assertEquals((await ladder.read(told.body.invitationId)).status, "failed");

  stack.provider.answer = refuseCalls({ "template:resposta": 132001 });
  const two = [await ladder.send(rungs), await ladder.send([invite!])];
  await stack.dispatch();
  const [next, none] = await Promise.all(two.map(({ body }) => ladder.read(body.messageId)));
  assertEquals([next.status, next.sentAs], ["sent", "template"]);
  assertEquals([none.status, none.lastError.code], ["failed", "outside_conversation_window"]);
  assertEquals(await ladder.events(none.messageId), ["message.failed"]);
});

Deno.test("a keyword that denies marketing ends what waits as canceled", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const sent = await ladder.send(await createInvite(ladder));
  await stack.dispatch();
  await ladder.write("parar");
  await ladder.write("Oi");
  await stack.dispatch();
  const record = await ladder.read(sent.body.messageId);
  assertEquals([record.status, record.sentAs], ["canceled", "invitation"]);
  assertEquals(await ladder.events(sent.body.messageId), ["message.canceled"]);
  // The confirmation of the keyword alone.
  assertEquals(ladder.calls(), ["template:resposta", "text"]);
});

Deno.test("what waits ends by its expiresAt, or after 72 hours, and can be canceled", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const invite = await createInvite(ladder);
  const expiresAt = new Date(Date.now() + hour * 1_000).toISOString();
  const sooner = await ladder.send(invite, { expiresAt });
  const later = await ladder.send(invite);
  const keyed = await ladder.send(invite, { cancelKey: "pedido" });
  const canceled = await ladder.send(invite);
  await stack.dispatch();
  const state = async (answer: typeof sooner): Promise<string> =>
    (await ladder.read(answer.body.messageId)).status;
  await stack.messages(ladder.tenant, "DELETE", `/messages/${canceled.body.messageId}`);
  assertEquals(await state(canceled), "canceled");
  const byKey = await stack.messages(ladder.tenant, "DELETE", "/messages?cancelKey=pedido");
  assertEquals([byKey.body.canceled, await state(keyed)], [1, "canceled"]);
  const move = (members: object): Promise<Answer> =>
    stack.request(`/messages-api/messages/${later.body.messageId}`, {
      method: "PATCH",
      headers: { "X-Client-Token": ladder.tenant.token, "Content-Type": "application/json" },
      body: JSON.stringify(members),
    });
  const end = new Date(Date.now() + 10 * hour * 1_000).toISOString();
  assertEquals((await move({ sendAt: end })).body.error, "message_not_movable");
  assertEquals(Date.parse((await move({ expiresAt: end })).body.expiresAt), Date.parse(end));
  await letTimePass(stack.admin, 2 * hour);
  await stack.dispatch();
  assertEquals([await state(sooner), await state(later)], ["expired", "queued"]);
  await letTimePass(stack.admin, 9 * hour);
  await stack.dispatch();
  assertEquals(await state(later), "expired");
  assertEquals(ladder.calls(), ["template:resposta"]);
});

Deno.test("a contact that is merged with somebody who has written gets what waits", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const other = "5511977770009";
  const sent = await ladder.send(await createInvite(ladder));
  await ladder.knowPerson(1, other);
  const contacts = await stack.admin<{ id: string }[]>`
    select c.id from messaging.contacts c order by c.phone = ${phone}`;
  const [kept, gone] = contacts;
  await stack.admin`
    insert into messaging.conversations (instance_id, contact_id)
    values (${ladder.tenant.instanceId}, ${kept!.id}) on conflict do nothing`;
  await stack.admin`
    select messaging.merge_contacts(k, g) from messaging.contacts k, messaging.contacts g
    where k.id = ${kept!.id} and g.id = ${gone!.id}`;
  await stack.dispatch();
  const record = await ladder.read(sent.body.messageId);
  assertEquals([record.status, record.sentAs, record.contactId], ["sent", "message", kept!.id]);
  assertEquals(ladder.calls().filter((call) => call === "text").length, 1);
});

Deno.test("an erased contact's waiting message is gone", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const sent = await ladder.send(await createInvite(ladder));
  await stack.dispatch();
  const answer = await stack.request(`/contacts-api/contacts/${sent.body.contactId}`, {
    method: "DELETE",
    headers: { "X-Client-Token": ladder.tenant.token },
  });
  assert(answer.status < 300, JSON.stringify(answer.body));
  await stack.dispatch();
  await ladder.write();
  await stack.dispatch();
  assertEquals(ladder.calls(), ["template:resposta"]);
  assertEquals(
    (await stack.messages(ladder.tenant, "GET", `/messages/${sent.body.messageId}`)).status,
    404,
  );
});

Deno.test("a window that closes before a queued message leaves sends the invitation in its slot", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const invite = await createInvite(ladder);
  await ladder.knowPerson(2);
  const sendAt = new Date(Date.now() + 600_000).toISOString();
  const sent = await ladder.send(invite, { queued: true, sendAt });
  assertEquals([sent.body.sentAs, sent.body.invitationId], ["message", undefined]);
  await ladder.knowPerson(30);
  await letTimePass(stack.admin, 601);
  await ladder.dispatchUntil(1);
  const waiting = await ladder.read(sent.body.messageId);
  assertEquals([waiting.heldBy, waiting.sentAs], ["awaiting_reply", "invitation"]);
  assertEquals(ladder.calls(), ["template:resposta"]);
  await ladder.write();
  await letTimePass(stack.admin, 60);
  await stack.dispatch();
  assertEquals(ladder.calls(), ["template:resposta", "text"]);
});

/** Lets the instance have limits of a day that goes on for hours. @returns reads how much of them is used. */
async function limitDay(
  { client: { stack }, tenant }: LadderClient,
): Promise<() => Promise<readonly unknown[]>> {
  await stack.admin`update messaging.instances set time_zone = ${findMiddayZone()}`;
  await protect(stack.admin, tenant.instanceId, { dailyLimit: 50, newContactsPerDay: 20 });
  return async () => {
    const { sent, waiting, newContacts } =
      (await stack.messages(tenant, "GET", "/health")).body.protection;
    return [sent, waiting, newContacts.sent];
  };
}

Deno.test("an invitation takes a place of the day, and what waits for its answer one when it leaves", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const readUsed = await limitDay(ladder);
  const invite = await createInvite(ladder);
  const first = await ladder.send(invite);
  await ladder.send(invite, { message: "dois" });
  assertEquals(await readUsed(), [1, 0, 1]);
  await ladder.dispatchUntil(1);
  await administer(stack, "POST", "/queue/hold", { body: {} });
  await ladder.write();
  assertEquals(await readUsed(), [3, 0, 1]);
  await stack.messages(ladder.tenant, "DELETE", `/messages/${first.body.messageId}`);
  assertEquals(await readUsed(), [2, 0, 1]);
  await administer(stack, "POST", "/queue/release", { body: {} });
  await ladder.dispatchUntil(2);
  assertEquals(await readUsed(), [2, 0, 1]);
});

for (const messagesPerSecond of [null, 10]) {
  Deno.test(`a message that sends an invitation in its place takes none of the day, at a pace of ${messagesPerSecond}`, async () => {
    await using ladder = await startLadderClient();
    const { stack } = ladder.client;
    const readUsed = await limitDay(ladder);
    if (messagesPerSecond !== null) {
      await setPace(stack.admin, ladder.tenant.instanceId, { messagesPerSecond });
    }
    const invite = await createInvite(ladder);
    await ladder.knowPerson(2);
    await ladder.send(invite, {
      ...{ queued: true, sendAt: new Date(Date.now() + 600_000).toISOString() },
    });
    await ladder.knowPerson(30);
    await letTimePass(stack.admin, 601);
    await ladder.dispatchUntil(1);
    assertEquals([ladder.calls(), await readUsed()], [["template:resposta"], [1, 0, 0]]);
  });
}

Deno.test("a window that the channel calls closed, in an answer or a status, sends an invitation once", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const invite = await createInvite(ladder);
  await ladder.knowPerson(2);
  stack.provider.answer = refuseCalls({ text: 131047 });
  const refused = await ladder.send(invite);
  assertEquals(
    [refused.status, refused.body.mode, refused.body.heldBy, refused.body.sentAs],
    [200, "scheduled", "awaiting_reply", "invitation"],
  );
  stack.provider.answer = acceptMessage;
  const told = await ladder.send(invite, { message: "dois" });
  await ladder.tell(told.body.providerMessageId, "failed", 131047);
  await stack.dispatch();
  const waiting = await ladder.read(told.body.messageId);
  assertEquals(
    [waiting.heldBy, waiting.invitationId, waiting.attempts],
    ["awaiting_reply", refused.body.invitationId, 1],
  );
  assertEquals(ladder.calls(), ["text", "template:resposta", "text"]);
  await ladder.write();
  await ladder.dispatchUntil(5);
  assertEquals(ladder.calls().slice(3), ["text", "text"]);
  const left = await ladder.read(told.body.messageId);
  assertEquals([left.status, left.attempts, left.sentAs], ["sent", 2, "message"]);
});

Deno.test("a message that waits for an answer after all takes nothing of the budget", async () => {
  await using ladder = await startLadderClient();
  const { client, tenant } = ladder;
  const { admin } = client.stack;
  await admin`update messaging.instances set free_service_messages_per_month = 0`;
  await replaceRates(admin, tenant);
  await setBudget(admin, tenant, "10");
  const invite = await createInvite(ladder);
  await ladder.knowPerson(2);
  const { body: { messageId, providerMessageId } } = await ladder.send(invite);
  await client.fold();
  const isUnderWay = async (): Promise<boolean> =>
    (await admin`
      select from messaging.budget_under_way where message_id = ${messageId}`).length > 0;
  assertEquals(await isUnderWay(), true);
  await ladder.tell(providerMessageId, "failed", 131047);
  assertEquals((await ladder.read(messageId)).heldBy, "awaiting_reply");
  assertEquals(await isUnderWay(), false);
});
