/** What a person says about marketing at one unit counts at every unit of a workspace of one people scope. */

import { assertEquals } from "../../support/assert.ts";
import { openSessions } from "../../support/database/sessions.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { neighbour, person, sender, text } from "../contacts_api/erasure_world.ts";
import {
  addContact,
  marketing,
  type PeopleWorld,
  readConsent,
  readTold,
  say,
  startPeopleWorld,
} from "./people_world.ts";

const { phone, shortPhone, userId } = person;
const updates = { maxPersons: 100, maxContacts: 100 };

type Named = Readonly<Record<string, unknown>>;

async function sendMarketing(world: PeopleWorld, named: Named): Promise<unknown> {
  const { status, body } = await world.callOther("POST", "send-message", {
    ...named,
    ...marketing,
  });
  return [status, body.error ?? null];
}

/** Ways in which one person is known at two units: at the first, at the second. */
const identities: Readonly<Record<string, readonly [Named, Named]>> = {
  "the same phone": [{ phone }, { phone }],
  "the phone without its ninth digit": [{ phone }, { phone: shortPhone }],
  "the phone with its ninth digit": [{ phone: shortPhone }, { phone }],
  "the same user id": [{ userId }, { userId }],
};

for (const [how, [here, there]] of Object.entries(identities)) {
  Deno.test(`a denial counts and is told at the other unit that knows the person by ${how}`, async () => {
    await using world = await startPeopleWorld();
    const theirs = await addContact(world, world.other, there);
    const ours = await say(world, world.tenant, here, "denied");
    assertEquals(await readConsent(world, world.other, theirs), ["denied", "api"]);
    assertEquals(await readTold(world, world.other), [[theirs, "denied"]]);
    assertEquals(await readTold(world, world.tenant), [[ours, "denied"]]);
    assertEquals(await sendMarketing(world, there), [409, "contact_opted_out"]);
    await say(world, world.other, there, "granted");
    assertEquals(await readConsent(world, world.tenant, ours), ["granted", "api"]);
    assertEquals(await readTold(world, world.tenant), [[ours, "denied"], [ours, "granted"]]);
  });
}

Deno.test("a unit that does not know the person yet knows the denial with the first call", async () => {
  await using world = await startPeopleWorld();
  await say(world, world.tenant, { phone }, "denied");
  assertEquals(await sendMarketing(world, { phone: shortPhone }), [409, "contact_opted_out"]);
  const theirs = await addContact(world, world.other, { phone });
  assertEquals(await readConsent(world, world.other, theirs), ["denied", "api"]);
  assertEquals(await readTold(world, world.other), [[theirs, "denied"]]);
  const { body } = await world.callOther("POST", "send-message", {
    ...{ phone, messageType: "text", message: "seu pedido" },
  });
  assertEquals(body.success, true, "what is no marketing goes");
});

Deno.test("a keyword at one unit denies at all, and is confirmed there alone", async () => {
  await using world = await startPeopleWorld();
  const theirs = await addContact(world, world.other, { phone });
  await world.receive({
    contacts: [sender(person)],
    messages: [text("wamid.SAIR", phone, "SAIR")],
  });
  assertEquals(await readConsent(world, world.other, theirs), ["denied", "keyword"]);
  const queued = await world.sql`
    select instance_id from messaging.messages where purpose = 'opt_out_confirmation'`;
  assertEquals(queued.map((row) => row["instance_id"]), [world.tenant.instanceId]);
});

Deno.test("what a person known by two identities says reaches units that know one each", async () => {
  await using world = await startPeopleWorld();
  const { other } = world;
  const third = await world.stack.createTenant({
    workspaceId: other.workspaceId,
    provider: "whatsapp_cloud",
  });
  await world.sql`update messaging.instances set people_scope = 'workspace'`;
  await world.receive({
    contacts: [sender(person, { user_id: userId })],
    messages: [text("wamid.BOTH", phone, "oi", { from_user_id: userId })],
  });
  const byPhone = await addContact(world, other, { phone });
  const byUserId = await addContact(world, third, { userId });
  await say(world, third, { userId }, "denied");
  assertEquals(await readConsent(world, other, byPhone), ["denied", "api"]);
  assertEquals(await sendMarketing(world, { phone }), [409, "contact_opted_out"]);
  await say(world, other, { phone }, "granted");
  assertEquals(await readConsent(world, third, byUserId), ["granted", "api"]);
});

Deno.test("a unit learns what was said before when it learns who the person is", async () => {
  await using world = await startPeopleWorld();
  const { tenant } = world;
  await say(world, world.other, { phone }, "denied");
  const contact = { profile: { name: "J" }, user_id: userId };
  const message = { ...text("wamid.HIDDEN", phone, "oi"), from: undefined };
  await world.receive({
    contacts: [contact],
    messages: [{ ...message, from_user_id: userId }],
  });
  const [ours] = await world.sql`
    select id from messaging.contacts where instance_id = ${tenant.instanceId}`;
  assertEquals(await readConsent(world, tenant, ours?.["id"]), ["unknown", null]);
  await world.receive({
    contacts: [{ ...contact, wa_id: phone }],
    messages: [text("wamid.SHOWN", phone, "sou eu", { from_user_id: userId })],
  });
  assertEquals(await readConsent(world, tenant, ours?.["id"]), ["denied", "api"]);
  assertEquals(await readTold(world, tenant), [[ours?.["id"], "denied"]]);
});

Deno.test("an older word that comes late changes nothing at any unit, and is logged where it was said", async () => {
  await using world = await startPeopleWorld();
  const { tenant, other } = world;
  const ours = await addContact(world, tenant, { phone });
  const theirs = await say(world, other, { phone }, "granted");
  const late = { ...text("wamid.LATE", phone, "SAIR"), timestamp: "1700000000" };
  await world.receive({ contacts: [sender(person)], messages: [late] });
  assertEquals(await readConsent(world, tenant, ours), ["granted", "api"]);
  assertEquals(await readConsent(world, other, theirs), ["granted", "api"]);
  const log = await world.sql`
    select marketing from messaging.consent_log where contact_id = ${ours} order by id`;
  assertEquals(log.map((row) => row["marketing"]), ["granted", "denied"]);
});

Deno.test("people of one unit alone are nobody's where the scope is instance, nor in another workspace", async () => {
  await using world = await startPeopleWorld("instance");
  const theirs = await addContact(world, world.other, { phone });
  await say(world, world.tenant, { phone }, "denied");
  assertEquals(await readConsent(world, world.other, theirs), ["unknown", null]);
  assertEquals((await sendMarketing(world, { phone }) as unknown[])[0], 200);
  await world.setScope("workspace");
  await world.finishChange();
  const stranger = await world.stack.createTenant({ provider: "whatsapp_cloud" });
  await world.setScope("workspace", stranger.workspaceId);
  await world.finishChange(stranger.workspaceId);
  const outside = await addContact(world, stranger, { phone });
  await say(world, world.tenant, { phone: neighbour.phone }, "denied");
  const neighbourOutside = await addContact(world, stranger, { phone: neighbour.phone });
  for (const contactId of [outside, neighbourOutside]) {
    assertEquals(await readConsent(world, stranger, contactId), ["unknown", null]);
  }
  assertEquals(await readTold(world, stranger), []);
});

Deno.test("a unit that is busy with the contact refuses marketing at once, and is told when it is free", async () => {
  await using world = await startPeopleWorld();
  const theirs = await addContact(world, world.other, { phone });
  const { one } = await openSessions(world.stack.testDatabase);
  await one.unsafe("begin");
  await one`select from messaging.contacts where id = ${theirs} for no key update`;
  await say(world, world.tenant, { phone }, "denied");
  assertEquals(await readTold(world, world.other), []);
  assertEquals(await sendMarketing(world, { phone }), [409, "contact_opted_out"]);
  await callFunction(world.sql, "update_people", updates);
  assertEquals(await readTold(world, world.other), []);
  await one.unsafe("commit");
  await world.sql`update messaging.person_updates set next_at = '-infinity'`;
  await callFunction(world.sql, "update_people", updates);
  assertEquals(await readTold(world, world.other), [[theirs, "denied"]]);
  assertEquals((await world.sql`select from messaging.person_updates`).length, 0);
});

Deno.test("units that are told opposite things at once wait for nobody, and agree on the newest", async () => {
  await using world = await startPeopleWorld();
  const { tenant, other } = world;
  const phones = Array.from({ length: 6 }, (_, place) => `55119100000${10 + place}`);
  for (const named of phones) {
    await addContact(world, tenant, { phone: named });
    await addContact(world, other, { phone: named });
  }
  await Promise.all(
    Array.from(
      { length: 8 },
      (_, round) =>
        (round % 2 === 0 ? phones : phones.toReversed()).map((named) =>
          say(
            world,
            round % 2 === 0 ? tenant : other,
            { phone: named },
            round % 3 === 0 ? "denied" : "granted",
          )
        ),
    ).flat(),
  );
  await world.sql`update messaging.person_updates set next_at = '-infinity'`;
  await callFunction(world.sql, "update_people", updates);
  const people = await world.sql`
    select c.phone, count(distinct c.consent_marketing)::int as words,
      bool_and(c.consent_marketing = w.marketing) as is_newest
    from messaging.contacts c
    cross join lateral (
      select p.marketing from messaging.person_words p where p.identity_key = c.phone
      order by p.said_at desc, p.id desc limit 1
    ) as w
    group by c.phone`;
  assertEquals(people.map((row) => [row["words"], row["is_newest"]]), phones.map(() => [1, true]));
});
