/** Whatever the people scope: each unit reads and sends its own, and another workspace sees nothing. */

import { assert, assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { person } from "../contacts_api/erasure_world.ts";
import { addContact, type PeopleWorld, say, startPeopleWorld } from "./people_world.ts";

const { phone } = person;

/** What a unit stores of the person; the word is its own. Returns the contact's id. */
async function addLife(world: PeopleWorld, tenant: Tenant, word: string): Promise<string> {
  const contactId = await addContact(world, tenant, {
    ...{ phone, name: `Nome ${word}`, notes: `nota ${word}`, tags: [word] },
  });
  for (const delivery of [{ delayMessage: 600 }, { queued: true, delayMessage: 900 }]) {
    const { body } = await world.call("POST", "send-message", {
      ...{ phone, messageType: "text", message: `texto ${word}`, ...delivery },
    }, { tenant });
    assertEquals(body.success, true, JSON.stringify(body));
  }
  return contactId;
}

/** Everything that a token reads of its instance. */
const reads = [
  ...["contacts-api/contacts?limit=100", `contacts-api/contacts?phone=${phone}`],
  ...["messages-api/messages?limit=100", "messages-api/queue?limit=100"],
  ...["conversations-api/conversations?limit=100", "events-api/events?after=oldest&limit=1000"],
];

for (const scope of ["instance", "workspace"] as const) {
  Deno.test(`under the scope ${scope} each unit reads its own contacts, messages, queue and events alone`, async () => {
    await using world = await startPeopleWorld(scope);
    const { tenant, other, stack } = world;
    const stranger = await stack.createTenant();
    const units = [[tenant, "mangaba"], [other, "cajarana"], [stranger, "sapoti"]] as const;
    const contacts = new Map<string, string>();
    for (const [unit, word] of units) contacts.set(word, await addLife(world, unit, word));
    await say(world, tenant, { phone }, "denied");
    for (const [unit, word] of units) {
      let found = 0;
      for (const path of reads) {
        const { status, body } = await world.call("GET", path, undefined, { tenant: unit });
        assertEquals(status, 200, `${path} ${JSON.stringify(body)}`);
        const answer = JSON.stringify(body);
        if (answer.includes(word)) found += 1;
        for (const [, foreign] of units) {
          if (foreign === word) continue;
          assert(!answer.includes(foreign), `${word} reads ${foreign}: ${path}`);
          assert(!answer.includes(contacts.get(foreign)!), `${word} reads an id: ${path}`);
        }
      }
      assert(found >= 4, `${word} was read ${found} times`);
      for (const [, foreign] of units) {
        if (foreign === word) continue;
        const path = `contacts-api/contacts/${contacts.get(foreign)}`;
        for (
          const [method, further] of [["GET", ""], ["DELETE", ""], ["GET", "/export"]] as const
        ) {
          const answer = await world.call(method, path + further, undefined, { tenant: unit });
          assertEquals([answer.status, answer.body.error], [404, "contact_not_found"]);
        }
        const wide = await world.call("DELETE", `${path}?scope=workspace`, undefined, {
          tenant: unit,
        });
        assertEquals([wide.status, wide.body.error], [404, "contact_not_found"]);
      }
    }
    const [theirs] = await world.sql`
      select consent_marketing from messaging.contacts where id = ${contacts.get("cajarana")!}`;
    assertEquals(theirs?.["consent_marketing"], scope === "workspace" ? "denied" : "unknown");
    const [strangers] = await world.sql`
      select consent_marketing from messaging.contacts where id = ${contacts.get("sapoti")!}`;
    assertEquals(strangers?.["consent_marketing"], "unknown");
    const queued = await world.sql`
      select instance_id, count(*)::int as messages from messaging.message_queue
      group by instance_id`;
    assertEquals(queued.map((row) => row["messages"]), [2, 2, 2]);
  });
}
