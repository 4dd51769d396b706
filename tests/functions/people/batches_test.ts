/** A denial at one unit while a batch of another is leaving: none of the later ones gets it. */

import { assert, assertEquals } from "../../support/assert.ts";
import { claimMessages } from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import {
  callBatches,
  changeBatch,
  createBatch,
  listRecipients,
  phoneOf,
  readRecipients,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import { openSessions } from "../../support/database/sessions.ts";
import { addContact, say, startPeopleWorld } from "./people_world.ts";

const template = { messageType: "text", message: "Oi {{nome}}: {{cupom}}" };
const campaign = { message: template, purpose: "marketing", recipients: listRecipients(6) };

for (const isBusy of [false, true]) {
  Deno.test(`of a batch that is leaving nobody gets the message who has denied at another unit${isBusy ? ", while their contacts are held" : ""}`, async () => {
    await using world = await startPeopleWorld();
    const { stack, tenant } = world;
    const unit = await stack.createTenant({ workspaceId: tenant.workspaceId });
    await world.sql`update messaging.instances set people_scope = 'workspace'`;
    for (let place = 0; place < 6; place++) {
      await addContact(world, unit, { phone: phoneOf(place) });
    }
    const batchId = await createBatch(stack, unit, campaign);
    await changeBatch(stack, unit, batchId, "start");
    await stack.dispatch({ durationMs: 40 });
    assertEquals(stack.provider.requests.length, 1);
    const { one } = await openSessions(stack.testDatabase);
    if (isBusy) {
      await one.unsafe("begin");
      await one`
        select from messaging.contacts where instance_id = ${unit.instanceId} for no key update`;
    }
    for (const place of [1, 2, 4]) {
      await say(world, tenant, { phone: phoneOf(place) }, "denied");
    }
    // Their rows still say nothing: what refuses them is the person's word.
    const denied = await world.sql`
      select from messaging.contacts
      where instance_id = ${unit.instanceId} and consent_marketing = 'denied'`;
    assertEquals(denied.length, isBusy ? 0 : 3);
    if (isBusy) {
      // The dispatcher does not tell the unit in this test: the word alone refuses.
      await world.sql`update messaging.person_updates set next_at = 'infinity'`;
      await one.unsafe("rollback");
    }
    await runBatches(stack, 6);
    const items = await readRecipients(stack, unit, batchId);
    const ends = items.map(({ status, reason }) => reason ?? status);
    assertEquals(ends, ["sent", "failed", "opted_out", "sent", "opted_out", "sent"]);
    assertEquals(stack.provider.requests.length, 3);
    const failed = await stack.messages(unit, "GET", `/messages/${items[1].messageId}`);
    assertEquals(failed.body.lastError?.code, "contact_opted_out", JSON.stringify(failed.body));
  });
}

Deno.test("a message that is claimed after the denial was committed does not leave", async () => {
  await using world = await startPeopleWorld();
  const { stack, tenant, other } = world;
  await stack.send(other, {
    ...{ phone: phoneOf(0), messageType: "text", message: "oferta", purpose: "marketing" },
    ...{ delayMessage: 60 },
  });
  await say(world, tenant, { phone: phoneOf(0) }, "denied");
  await letTimePass(stack.admin, 61);
  const [claim] = await claimMessages(stack.admin);
  assert(claim !== undefined);
  assertEquals((claim as unknown as { isOptedOut: boolean }).isOptedOut, true);
});

Deno.test("a dry run at a unit that does not know the person shows the denial", async () => {
  await using world = await startPeopleWorld();
  const { stack, tenant, other } = world;
  const unit = await stack.createTenant({ workspaceId: other.workspaceId });
  await world.sql`update messaging.instances set people_scope = 'workspace'`;
  await say(world, tenant, { phone: phoneOf(1) }, "denied");
  const batchId = await createBatch(stack, unit, campaign);
  const stored = await callBatches(stack, unit, "POST", `/batches/${batchId}/dry-run`);
  assertEquals(stored.status, 200, JSON.stringify(stored.body));
  assertEquals(
    stored.body.items.map(({ reason }: { reason: string | null }) => reason ?? null),
    [null, "opted_out", null, null, null, null],
  );
});
