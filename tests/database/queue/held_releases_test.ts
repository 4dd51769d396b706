/** What a budget held leaves in parts, however much it is. */

import type { Sql } from "postgres";
import { assertEquals, assertLess } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import {
  callFunction,
  claimMessages,
  enqueueText,
  settleClaim,
} from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { fillQueue } from "../../support/fixtures/long_queue.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

/** Has all messages of a full queue wait for an instant in 20 days, by a budget. */
async function holdAll(
  admin: Sql,
  instanceId: string,
  messages: number,
  lane = "paced",
): Promise<void> {
  await fillQueue(admin, instanceId, { messages, interval: 1 });
  if (lane === "unpaced") {
    await admin`
      update messaging.message_queue
      set lane = 'unpaced', visible_at = scheduled_at, interval_seconds = 0`;
  }
  await admin`
    with held as (
      update messaging.message_queue set scheduled_at = date_trunc('day', now()) + interval '20 days'
      returning message_id, scheduled_at
    )
    update messaging.messages m set held_by = 'budget', scheduled_for = held.scheduled_at
    from held where m.id = held.message_id`;
}

/** How many are still held, and how many of all stand before one that was queued earlier. */
async function readQueue(admin: Sql): Promise<{ held: number; overtaken: number }> {
  const [row] = await admin<{ held: number; overtaken: number }[]>`
    select count(*) filter (where held_by = 'budget')::integer as held,
      count(*) filter (where number < before)::integer as overtaken
    from (
      select m.held_by, m.message::integer as number,
        lag(m.message::integer) over (order by q.scheduled_at, q.position) as before
      from messaging.message_queue q join messaging.messages m on m.id = q.message_id
    ) as line`;
  return row!;
}

const setBudget = (sql: Sql, instanceId: string, monthlyAmount: number): Promise<unknown> =>
  callFunction(sql, "update_instance", {
    instanceId,
    changes: { budget: { monthlyAmount } },
  });

for (const lane of ["paced", "unpaced"]) {
  Deno.test(`what a budget held of ${lane} messages leaves 2,000 at a time and in order, the rest by the dispatcher's maintenance`, async () => {
    await using database = await createTestDatabase();
    const { admin, sql } = database;
    const { instanceId } = await createTenant(admin, { timeZone: "UTC" });
    await holdAll(admin, instanceId, 4_500, lane);
    await setBudget(sql, instanceId, 100);
    assertEquals(await readQueue(admin), { held: 2_500, overtaken: 0 });
    for (
      const { held, isComplete } of [
        { held: 500, isComplete: false },
        { held: 0, isComplete: true },
      ]
    ) {
      assertEquals(await callFunction(sql, "move_waiting_slots", {}), { moved: 0, isComplete });
      assertEquals(await readQueue(admin), { held, overtaken: 0 });
    }
    const [due] = await admin<{ isDue: boolean }[]>`
      select case ${lane} when 'paced' then next_due_at else (
        select min(visible_at) from messaging.message_queue
      ) end <= now() + interval '2 seconds' as "isDue"
      from messaging.dispatch where instance_id = ${instanceId}`;
    assertEquals(due?.isDue, true);
  });
}

Deno.test("what is asked for while a release goes on is done after it: no message that is held meanwhile is forgotten", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin, { timeZone: "UTC" });
  await holdAll(admin, instanceId, 2_500);
  await setBudget(sql, instanceId, 100);
  assertEquals(await readQueue(admin), { held: 500, overtaken: 0 });
  // The first of all is held once more, before the place that the release has come to.
  await admin`
    with held as (
      update messaging.message_queue q set scheduled_at = date_trunc('day', now()) + interval '20 days'
      from messaging.messages m where m.id = q.message_id and m.message = '0'
      returning q.message_id
    )
    update messaging.messages m set held_by = 'budget' from held where m.id = held.message_id`;
  await setBudget(sql, instanceId, 200);
  assertEquals((await readQueue(admin)).held, 1);
  for (
    const { held, isComplete } of [{ held: 1, isComplete: false }, { held: 0, isComplete: true }]
  ) {
    assertEquals(await callFunction(sql, "move_waiting_slots", {}), { moved: 0, isComplete });
    assertEquals((await readQueue(admin)).held, held);
  }
});

Deno.test("what a budget held leaves in the order in which it was queued", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin, { timeZone: "UTC" });
  await holdAll(admin, instanceId, 4);
  await setBudget(sql, instanceId, 100);
  const left: string[] = [];
  for (let round = 0; round < 4; round++) {
    await letTimePass(admin, 2);
    for (const claim of await claimMessages(sql)) {
      left.push(claim.message);
      await settleClaim(sql, claim, { outcome: "accepted", providerMessageId: claim.message });
    }
  }
  assertEquals(left, ["0", "1", "2", "3"]);
});

Deno.test("what waits for a budget takes no slot before it from what is queued after a cancellation", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin, { timeZone: "UTC" });
  await holdAll(admin, instanceId, 1);
  const { messageId } = await enqueueText(sql, instanceId);
  await callFunction(sql, "cancel_message", { instanceId, messageId });
  const { scheduledFor } = await enqueueText(sql, instanceId);
  assertLess(Date.parse(scheduledFor), Date.now() + 3_600_000);
});
