/** Changing whether people are one over a workspace: in steps, resumable, and back. */

import { assert, assertEquals, assertRejects } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { openSessions } from "../../support/database/sessions.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { administer } from "../../support/stack/admin_calls.ts";
import { person } from "../contacts_api/erasure_world.ts";
import {
  addContact,
  type PeopleWorld,
  readConsent,
  readTold,
  say,
  startPeopleWorld,
} from "./people_world.ts";

const { phone } = person;

// deno-lint-ignore no-explicit-any -- tests assert on whatever the service answers
async function readChange({ stack, tenant }: PeopleWorld): Promise<any> {
  const { body } = await administer(stack, "GET", `/workspaces/${tenant.workspaceId}`);
  return body.peopleScopeChange;
}

/** Contacts of `count` persons at both units. Each has said something at one of them or at both. */
async function addPeople({ sql, tenant, other }: PeopleWorld, count: number): Promise<void> {
  for (const [place, { instanceId }] of [tenant, other].entries()) {
    await sql`
      insert into messaging.contacts (
        instance_id, phone, identity_key, origin, created_at, consent_marketing, consent_at,
        consent_source
      )
      select ${instanceId}, '5511' || 900000000 + n, '5511' || 900000000 + n, 'api',
        now() - n * interval '1 second',
        case when n % 3 = ${place} then 'denied' when n % 2 = 0 then 'granted' else 'unknown' end,
        case when n % 3 = ${place} or n % 2 = 0
          then date_trunc('milliseconds', now()) - interval '1 day' * ((n * 7 + ${place} * 3) % 10)
        end,
        case when n % 3 = ${place} or n % 2 = 0 then 'api' end
      from generate_series(1, ${count}) as n`;
    await sql`
      insert into messaging.consent_log (instance_id, contact_id, marketing, said_at, source)
      select c.instance_id, c.id, c.consent_marketing, c.consent_at, c.consent_source
      from messaging.contacts c
      where c.instance_id = ${instanceId} and c.consent_at is not null`;
  }
}

/** What each person has said last at any unit, and whether every contact says so. */
async function countDisagreeing({ sql }: PeopleWorld): Promise<number> {
  const [row] = await sql`
    with newest as (
      select distinct on (c.identity_key) c.identity_key, l.marketing
      from messaging.consent_log l
      join messaging.contacts c on c.id = l.contact_id
      order by c.identity_key, l.said_at desc, l.id desc
    )
    select count(*)::int as people
    from messaging.contacts c join newest n using (identity_key)
    where c.consent_marketing <> n.marketing`;
  return row?.["people"];
}

Deno.test("a workspace says its people scope, and refuses an unknown one", async () => {
  await using world = await startPeopleWorld("instance");
  const { stack } = world;
  const created = await administer(stack, "POST", "/workspaces", {
    body: { name: "Rede", peopleScope: "workspace" },
  });
  assertEquals([created.body.peopleScope, created.body.peopleScopeChange], ["workspace", null]);
  const plain = await administer(stack, "POST", "/workspaces", { body: { name: "Loja" } });
  assertEquals(plain.body.peopleScope, "instance");
  const refused = await administer(stack, "PATCH", `/workspaces/${plain.body.workspaceId}`, {
    body: { peopleScope: "company" },
  });
  assertEquals([refused.status, refused.body.issues[0].path], [400, "peopleScope"]);
});

Deno.test("what was said before the change counts by the newest word, also one that said the same again", async () => {
  await using world = await startPeopleWorld("instance");
  const { tenant, other } = world;
  const phones = [phone, "5511911112222", "5511933334444"];
  const ours = [];
  const theirs = [];
  for (const named of phones) {
    ours.push(await say(world, tenant, { phone: named }, "denied"));
    theirs.push(await addContact(world, other, { phone: named }));
  }
  await say(world, other, { phone: phones[1] }, "granted");
  await say(world, other, { phone: phones[2] }, "granted");
  await say(world, tenant, { phone: phones[2] }, "denied");
  const before = (await readTold(world, other)).length;
  const changed = await world.setScope("workspace");
  assertEquals(
    [changed.peopleScopeChange.to, changed.peopleScopeChange.phase],
    ["workspace", "waiting"],
  );
  await world.finishChange();
  const consents = [];
  for (const place of phones.keys()) {
    consents.push([
      (await readConsent(world, tenant, ours[place]!) as string[])[0],
      (await readConsent(world, other, theirs[place]!) as string[])[0],
    ]);
  }
  assertEquals(consents, [["denied", "denied"], ["granted", "granted"], ["denied", "denied"]]);
  const told = await readTold(world, other);
  assertEquals(
    told.slice(before).map((one) => (one as string[]).join()).sort(),
    [theirs[0], theirs[2]].map((contactId) => `${contactId},denied`).sort(),
  );
});

Deno.test("ten thousand contacts follow in steps of bounded size; a step cut off is taken again", async () => {
  await using world = await startPeopleWorld("instance");
  const { sql, stack } = world;
  const people = 5_000;
  await addPeople(world, people);
  await world.setScope("workspace");
  const seen = new Set<string>();
  const { one } = await openSessions(stack.testDatabase);
  for (let step = 0;; step++) {
    const change = await readChange(world);
    if (change === null) break;
    assert(step < 2_000, JSON.stringify(change));
    seen.add(change.phase);
    assert(change.total === null || change.done <= change.total, JSON.stringify(change));
    if (step % 5 === 3) {
      // The dispatcher is killed in the middle of a step: nothing of it stays.
      await one.unsafe("begin");
      await callFunction(one, "update_people", { maxPersons: 300, maxContacts: 1_000 });
      await one.unsafe("rollback");
      assertEquals(await readChange(world), change);
    }
    await callFunction(sql, "update_people", { maxPersons: 500, maxContacts: 1_000 });
  }
  assertEquals(await readChange(world), null);
  assertEquals([...seen], ["waiting", "collecting", "telling"]);
  assertEquals(await countDisagreeing(world), 0);
  const [twice] = await sql`
    select count(*)::int as contacts from (
      select contact_id from messaging.events where type = 'contact.consent_changed'
      group by contact_id having count(*) > 1
    ) as told`;
  assertEquals(twice?.["contacts"], 0, "each contact is told once");
});

Deno.test("a word that a call under way says by the former scope is brought along", async () => {
  await using world = await startPeopleWorld("instance");
  const { tenant, other, stack } = world;
  const theirs = await addContact(world, other, { phone });
  await addContact(world, tenant, { phone });
  const { one } = await openSessions(stack.testDatabase);
  await one.unsafe("begin");
  await callFunction(one, "set_contact_consent", {
    ...{ instanceId: tenant.instanceId, phone, marketing: "denied", source: "api" },
    ...{ evidence: null, idempotency: null },
  });
  await world.setScope("workspace");
  for (let step = 0; step < 10; step++) {
    await callFunction(world.sql, "update_people", { maxPersons: 10, maxContacts: 10 });
  }
  assertEquals((await readChange(world)).phase, "waiting");
  await one.unsafe("commit");
  await waitUntil(async () => {
    await callFunction(world.sql, "update_people", { maxPersons: 10, maxContacts: 10 });
    return await readChange(world) === null;
  });
  assertEquals(await readConsent(world, other, theirs), ["denied", "api"]);
});

Deno.test("back to the scope instance each unit keeps what it was told, and later words count there alone", async () => {
  await using world = await startPeopleWorld();
  const { tenant, other, sql } = world;
  const theirs = await addContact(world, other, { phone });
  const ours = await say(world, tenant, { phone }, "denied");
  await world.setScope("instance");
  assertEquals((await readChange(world)).to, "instance");
  await say(world, tenant, { phone }, "granted");
  await world.finishChange();
  assertEquals(await readConsent(world, tenant, ours), ["granted", "api"]);
  assertEquals(await readConsent(world, other, theirs), ["denied", "api"]);
  assertEquals((await sql`select from messaging.person_words`).length, 0);
  await world.setScope("workspace");
  await world.finishChange();
  assertEquals(await readConsent(world, other, theirs), ["granted", "api"]);
});

Deno.test("an instance made while the scope changes has the scope of its workspace", async () => {
  await using world = await startPeopleWorld("instance");
  const { stack, tenant } = world;
  const { one, two } = await openSessions(stack.testDatabase);
  await one.unsafe("begin");
  await callFunction(one, "update_workspace", {
    workspaceId: tenant.workspaceId,
    changes: { peopleScope: "workspace" },
  });
  const request = {
    ...{ instanceId: crypto.randomUUID(), workspaceId: tenant.workspaceId, name: "Filial" },
    ...{ provider: "zapi", embedKey: "emb_of_a_new_unit", sealedProviderConfig: "v1.k.x" },
    ...{ gatewayInstanceId: "unit", businessInstanceId: null, connectedPhone: "551140001235" },
    ...{ timeZone: "America/Sao_Paulo", idempotency: null },
  };
  const creating = callFunction(two, "create_instance", request);
  await assertRejects(
    () => Promise.race([creating.then(() => Promise.reject(new Error("made"))), waits(world)]),
    Error,
    "waits",
  );
  await one.unsafe("commit");
  await creating;
  const [unit] = await world.sql`
    select people_scope from messaging.instances where id = ${request.instanceId}`;
  assertEquals(unit?.["people_scope"], "workspace");
});

/** Rejects once a session waits for a lock. */
async function waits({ sql }: PeopleWorld): Promise<never> {
  await waitUntil(async () => {
    const rows = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return rows.length > 0;
  });
  throw new Error("waits");
}
