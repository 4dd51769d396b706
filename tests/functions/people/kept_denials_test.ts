/** What remains of an erased person who had denied counts at every unit of a workspace of one people scope. */

import { assert, assertEquals } from "../../support/assert.ts";
import { person } from "../contacts_api/erasure_world.ts";
import {
  addContact,
  marketing,
  type PeopleWorld,
  readConsent,
  readTold,
  say,
  startPeopleWorld,
} from "./people_world.ts";

const { phone, shortPhone } = person;

/** The texts of every row of the tables that name people across units. */
async function readWords({ sql }: PeopleWorld): Promise<string[]> {
  const words = await sql`select identity_key from messaging.person_words`;
  return words.map((row) => row["identity_key"]);
}

for (const scope of ["workspace", "instance"] as const) {
  Deno.test(`a person erased at one unit under the scope ${scope} is denied again at another of the workspace`, async () => {
    await using world = await startPeopleWorld(scope);
    const former = await say(world, world.tenant, { phone }, "denied");
    await world.erase(former);
    if (scope === "instance") {
      await world.setScope("workspace");
      await world.finishChange();
    }
    assertEquals(await readWords(world), []);
    const refused = await world.callOther("POST", "send-message", {
      ...{ phone: shortPhone, ...marketing },
    });
    assertEquals([refused.status, refused.body.error], [409, "contact_opted_out"]);
    const theirs = await addContact(world, world.other, { phone });
    assertEquals(await readConsent(world, world.other, theirs), ["denied", "erasure"]);
    assertEquals(await readTold(world, world.other), [[theirs, "denied"]]);
  });
}

Deno.test("once the scope is the workspace, a person erased before at one unit is denied where another unit had the person all along", async () => {
  await using world = await startPeopleWorld("instance");
  const { tenant, other } = world;
  const theirs = await addContact(world, other, { phone: shortPhone });
  const stranger = await addContact(world, other, { phone: "5511911112222" });
  const renewed = await addContact(world, other, { phone: "5511933334444" });
  const grantedBefore = await say(world, other, { phone: "5511955556666" }, "granted");
  for (const named of [phone, "5511933334444", "5511955556666"]) {
    await world.erase(await say(world, tenant, { phone: named }, "denied"));
  }
  await say(world, other, { phone: "5511933334444" }, "granted");
  assertEquals(await readConsent(world, other, theirs), ["unknown", null]);
  const before = (await readTold(world, other)).length;
  await world.setScope("workspace");
  await world.finishChange();
  const refused = await world.callOther("POST", "send-message", {
    ...{ contactId: theirs, ...marketing },
  });
  assertEquals([refused.status, refused.body.error], [409, "contact_opted_out"]);
  const consents = [];
  for (const contactId of [theirs, stranger, renewed, grantedBefore]) {
    consents.push(await readConsent(world, other, contactId));
  }
  assertEquals(consents, [
    ["denied", "erasure"],
    ["unknown", null],
    ["granted", "api"],
    ["denied", "erasure"],
  ]);
  const told = (await readTold(world, other)).slice(before).map((one) => String(one)).sort();
  assertEquals(told, [`${theirs},denied`, `${grantedBefore},denied`].sort());
});

Deno.test("a grant at one unit after the erasure at another is the newer word", async () => {
  await using world = await startPeopleWorld();
  const { tenant, other } = world;
  const former = await say(world, tenant, { phone }, "denied");
  await world.erase(former);
  const theirs = await say(world, other, { phone }, "granted");
  const again = await addContact(world, tenant, { phone });
  assertEquals(await readConsent(world, tenant, again), ["granted", "api"]);
  assertEquals(await readConsent(world, other, theirs), ["granted", "api"]);
  const erased = await world.callOther("DELETE", `contacts-api/contacts/${theirs}`);
  assertEquals(erased.status, 202);
  await world.erase(again);
  assertEquals((await world.sql`select from messaging.kept_denials`).length, 0);
  assertEquals(await readWords(world), []);
});

Deno.test("words of an erased person stay where another unit has the person, and go with the last", async () => {
  await using world = await startPeopleWorld();
  const { tenant, other } = world;
  const theirs = await addContact(world, other, { phone });
  const ours = await say(world, tenant, { phone }, "denied");
  await world.erase(ours);
  assert((await readWords(world)).includes(phone));
  assertEquals(await readConsent(world, other, theirs), ["denied", "api"]);
  const erased = await world.callOther("DELETE", `contacts-api/contacts/${theirs}`);
  assertEquals(erased.status, 202);
  assertEquals(await readWords(world), []);
});

Deno.test("a person erased at two units at once leaves no word", async () => {
  await using world = await startPeopleWorld();
  const { tenant, other } = world;
  for (let round = 0; round < 5; round++) {
    const theirs = await addContact(world, other, { phone });
    const ours = await say(world, tenant, { phone }, round % 2 === 0 ? "denied" : "granted");
    await Promise.all([
      world.erase(ours),
      world.callOther("DELETE", `contacts-api/contacts/${theirs}`),
    ]);
    assertEquals(await readWords(world), []);
  }
});
