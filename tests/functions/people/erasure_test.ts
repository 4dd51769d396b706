/** Erasing and exporting a person at every unit of a workspace of one people scope. */

import { assert, assertEquals } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { openSessions } from "../../support/database/sessions.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { finishErasure, neighbour, person, sender, text } from "../contacts_api/erasure_world.ts";
import {
  addContact,
  marketing,
  type PeopleWorld,
  readConsent,
  say,
  startPeopleWorld,
} from "./people_world.ts";

const { phone, shortPhone, userId } = person;

/** The person with messages at both units, a message that waits at the other one, and a neighbour. */
async function addLives(world: PeopleWorld): Promise<{ ours: string; theirs: string }> {
  await world.receive({
    contacts: [sender(person, { user_id: userId })],
    messages: [text("wamid.OURS", phone, "jabuticaba", { from_user_id: userId })],
  });
  const { body } = await world.callOther("POST", "send-message", {
    ...{ phone: shortPhone, messageType: "text", message: "bergamota", delayMessage: 600 },
  });
  assertEquals(body.success, true, JSON.stringify(body));
  await addContact(world, world.other, { phone: neighbour.phone, name: neighbour.name });
  const [ours] = await world.sql`
    select id from messaging.contacts where instance_id = ${world.tenant.instanceId}`;
  return { ours: ours?.["id"], theirs: body.contactId };
}

/** Who is left, by instance: the other unit's neighbour alone where the person is gone. */
async function countContacts({ sql }: PeopleWorld, { instanceId }: Tenant): Promise<number> {
  const rows = await sql`select from messaging.contacts where instance_id = ${instanceId}`;
  return rows.length;
}

async function setScopes({ sql }: PeopleWorld, tenant: Tenant, scopes: string[]): Promise<void> {
  await sql`update messaging.client_tokens set scopes = ${scopes} where id = ${tenant.tokenId}`;
}

Deno.test("a person erased over the workspace is gone at every unit, and what waits there is not sent", async () => {
  await using world = await startPeopleWorld();
  const { tenant, other, sql } = world;
  const { ours, theirs } = await addLives(world);
  await say(world, other, { contactId: theirs }, "denied");
  const erased = await world.call("DELETE", `contacts-api/contacts/${ours}?scope=workspace`);
  assertEquals([erased.status, erased.body.success], [202, true], JSON.stringify(erased.body));
  assertEquals((await sql`select from messaging.message_queue`).length, 0);
  assertEquals([await countContacts(world, tenant), await countContacts(world, other)], [0, 1]);
  for (const [unit, contactId] of [[tenant, ours], [other, theirs]] as const) {
    const path = `contacts-api/contacts/${contactId}`;
    const read = await world.call("GET", path, undefined, { tenant: unit });
    assertEquals([read.status, read.body.error], [410, "contact_erased"]);
  }
  const done = await finishErasure(world, erased.body.erasureId);
  assertEquals([done.contactId, done.counts.messages], [ours, 2]);
  assertEquals((await sql`select from messaging.person_words`).length, 0);
  const words = await sql`
    select instance_id, count(*)::int as hashes from messaging.kept_denials group by instance_id`;
  assertEquals(words.length, 2, "each unit remembers the denial by itself");
  const again = await world.callOther("POST", "send-message", { phone, ...marketing });
  assertEquals([again.status, again.body.error], [409, "contact_opted_out"]);
  for (const unit of [tenant, other]) {
    const { body } = await world.call(
      "GET",
      "events-api/events?after=oldest&limit=1000&types=contact.erased",
      undefined,
      { tenant: unit },
    );
    assertEquals(body.items.length, 1);
  }
});

Deno.test("without the scope the person stays at the other unit", async () => {
  await using world = await startPeopleWorld();
  const { ours, theirs } = await addLives(world);
  await world.erase(ours);
  assertEquals(await readConsent(world, world.other, theirs), ["unknown", null]);
  assertEquals(await countContacts(world, world.other), 2);
});

Deno.test("an export over the workspace has what each unit knows, and no other person", async () => {
  await using world = await startPeopleWorld();
  const { other } = world;
  const { ours, theirs } = await addLives(world);
  const one = await world.call("GET", `contacts-api/contacts/${ours}/export`);
  assertEquals(one.body.otherInstances, undefined);
  const all = await world.call("GET", `contacts-api/contacts/${ours}/export?scope=workspace`);
  assertEquals(all.status, 200);
  assertEquals(all.body.contact.contactId, ours);
  assertEquals(all.body.messages.map(({ message }: { message: string }) => message), [
    "jabuticaba",
  ]);
  const [unit, ...rest] = all.body.otherInstances;
  assertEquals([rest.length, unit.instanceId, unit.contact.contactId], [
    ...[0, other.instanceId, theirs],
  ]);
  assertEquals(unit.messages.map(({ message }: { message: string }) => message), ["bergamota"]);
  assert(!JSON.stringify(all.body).includes(neighbour.phone));
});

Deno.test("a workspace whose instances stand for themselves refuses both, before anything is done", async () => {
  await using world = await startPeopleWorld("instance");
  const { ours } = await addLives(world);
  for (const [method, path] of [["DELETE", ""], ["GET", "/export"]] as const) {
    const answer = await world.call(method, `contacts-api/contacts/${ours}${path}?scope=workspace`);
    assertEquals([answer.status, answer.body.error], [409, "people_scope"]);
    const unknown = await world.call(method, `contacts-api/contacts/${ours}${path}?scope=company`);
    assertEquals([unknown.status, unknown.body.issues?.[0].path], [400, "scope"]);
    const nobody = crypto.randomUUID();
    const missing = await world.call(
      method,
      `contacts-api/contacts/${nobody}${path}?scope=workspace`,
    );
    assertEquals([missing.status, missing.body.error], [404, "contact_not_found"]);
  }
  assertEquals((await world.sql`select from messaging.erasures`).length, 0);
});

Deno.test("both need the scope erase, of any unit's token", async () => {
  await using world = await startPeopleWorld();
  const { other } = world;
  const { theirs } = await addLives(world);
  const path = `contacts-api/contacts/${theirs}`;
  await setScopes(world, other, ["contacts", "history"]);
  for (const [method, further] of [["DELETE", ""], ["GET", "/export"]] as const) {
    const refused = await world.callOther(method, `${path}${further}?scope=workspace`);
    assertEquals([refused.status, refused.body.error], [403, "insufficient_scope"]);
  }
  assertEquals((await world.callOther("GET", `${path}/export`)).status, 200);
  await setScopes(world, other, ["erase"]);
  // Erasing reads nothing, wherever.
  assertEquals((await world.callOther("GET", `${path}/export`)).status, 403);
  assertEquals((await world.callOther("GET", `${path}/export?scope=workspace`)).status, 403);
  await setScopes(world, other, ["erase", "contacts", "history"]);
  assertEquals((await world.callOther("GET", `${path}/export?scope=workspace`)).status, 200);
  await setScopes(world, other, ["erase"]);
  assertEquals((await world.callOther("DELETE", `${path}?scope=workspace`)).status, 202);
  assertEquals(await countContacts(world, world.tenant), 0);
});

Deno.test("an erasure that is cut off after it was recorded is finished by the dispatcher at every unit", async () => {
  await using world = await startPeopleWorld();
  const { tenant, other, sql } = world;
  const { ours, theirs } = await addLives(world);
  await callFunction(sql, "erase_person", {
    ...{ instanceId: tenant.instanceId, contactId: ours, identityHashes: {} },
  });
  const read = await world.callOther("GET", `contacts-api/contacts/${theirs}`);
  assertEquals([read.status, read.body.error], [410, "contact_erased"]);
  for (let step = 0; step < 20; step++) {
    await callFunction(sql, "run_erasures", { maxRows: 1_000 });
  }
  const pending = await sql`select from messaging.erasures where status <> 'done'`;
  assertEquals(pending.length, 0);
  assertEquals([await countContacts(world, tenant), await countContacts(world, other)], [0, 1]);
});

Deno.test("a contact that another call holds is waited for, and nothing is half begun", async () => {
  await using world = await startPeopleWorld();
  const { tenant, sql } = world;
  const { ours, theirs } = await addLives(world);
  const { one } = await openSessions(world.stack.testDatabase);
  await one.unsafe("begin");
  await one`select from messaging.contacts where id = ${theirs} for no key update`;
  const request = { instanceId: tenant.instanceId, contactId: ours, identityHashes: {} };
  const refused = await callFunction(sql, "erase_person", request).then(
    () => "done",
    (error: { code?: string }) => error.code,
  );
  assertEquals(refused, "MI055");
  assertEquals((await sql`select from messaging.erasures`).length, 0);
  await one.unsafe("commit");
  const erased = await world.call("DELETE", `contacts-api/contacts/${ours}?scope=workspace`);
  assertEquals(erased.status, 202);
});

Deno.test("sends at the other unit while a person is erased over the workspace leave all or nothing of a message", async () => {
  await using world = await startPeopleWorld();
  const { other, sql } = world;
  for (let round = 0; round < 6; round++) {
    const ours = await addContact(world, world.tenant, { phone });
    const theirs = await addContact(world, other, { phone });
    const [erased, ...sent] = await Promise.all([
      world.call("DELETE", `contacts-api/contacts/${ours}?scope=workspace`),
      ...Array.from({ length: 6 }, (_, place) =>
        world.callOther("POST", "send-message", {
          ...(place % 2 === 0 ? { phone } : { contactId: theirs }),
          ...{ messageType: "text", message: `pitomba ${round}`, delayMessage: 600 },
        })),
    ]);
    assertEquals(erased.status, 202, JSON.stringify(erased.body));
    await finishErasure(world, erased.body.erasureId);
    for (const { status, body } of sent) {
      assert(status === 200 || status === 410 || status === 503, JSON.stringify(body));
    }
    assertEquals(
      (await sql`
        select from messaging.messages m
        left join messaging.contacts c on c.id = m.contact_id where c.id is null`).length,
      0,
    );
    // Who wrote after the erasure has made a new person, who has what was sent since, and nothing else.
    const left = await sql`
      select c.id from messaging.contacts c where c.instance_id = ${other.instanceId}`;
    assert(left.length <= 1 && left[0]?.["id"] !== theirs);
    if (left.length === 1) {
      const again = await world.callOther("DELETE", `contacts-api/contacts/${left[0]!["id"]}`);
      assertEquals(again.status, 202);
      await finishErasure(
        { ...world, call: (method, path, body) => world.callOther(method, path, body) },
        again.body.erasureId,
      );
    }
  }
});

Deno.test("two calls that erase one person over the workspace at two units at once: one does, the other is told", async () => {
  await using world = await startPeopleWorld();
  const { tenant, other, sql } = world;
  for (let round = 0; round < 6; round++) {
    const ours = await addContact(world, tenant, { phone });
    const theirs = await addContact(world, other, { phone });
    const answers = await Promise.all([
      world.call("DELETE", `contacts-api/contacts/${ours}?scope=workspace`),
      world.callOther("DELETE", `contacts-api/contacts/${theirs}?scope=workspace`),
    ]);
    assertEquals(answers.map(({ status }) => status).sort(), [202, 410]);
    for (let step = 0; step < 20; step++) {
      await callFunction(sql, "run_erasures", { maxRows: 1_000 });
    }
    assertEquals((await sql`select from messaging.contacts`).length, 0);
  }
});
