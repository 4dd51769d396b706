/** Changes a send window while many messages wait: their slots move in batches. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { fillQueue } from "../../support/fixtures/long_queue.ts";
import { callFunction, claimMessages, enqueueText } from "../../support/database/queue_calls.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

const interval = 10;

interface Disorder {
  readonly waiting: number;
  readonly outside: number;
  readonly overtaken: number;
  readonly closer: number;
  readonly untold: number;
}

/** Finds the faults of a queue whose window is 09:00 to 17:00 UTC on all days. */
async function findDisorder(admin: Sql): Promise<Disorder> {
  const [row] = await admin<Disorder[]>`
    select count(*)::integer as waiting,
      count(*) filter (where (slot at time zone 'UTC')::time not between '09:00' and '16:59:59.999')
        ::integer as outside,
      count(*) filter (where number < before)::integer as overtaken,
      count(*) filter (where slot < slot_before + make_interval(secs => ${interval}))
        ::integer as closer,
      count(*) filter (where slot <> told)::integer as untold
    from (
      select q.scheduled_at as slot, m.scheduled_for as told, m.message::integer as number,
        lag(m.message::integer) over in_order as before,
        lag(q.scheduled_at) over in_order as slot_before
      from messaging.message_queue q join messaging.messages m on m.id = q.message_id
      window in_order as (order by q.scheduled_at, q.position)
    ) as line`;
  return row!;
}

const inOrder = { outside: 0, overtaken: 0, closer: 0, untold: 0 };
const officeHours = { sendWindow: { start: "09:00", end: "17:00" } };

Deno.test("a window over 20,000 waiting messages changes at once, and all their slots follow in order", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { instanceId } = await createTenant(admin, { timeZone: "UTC" });
  await fillQueue(admin, instanceId, { messages: 20_000, interval });
  const session = database.connect({ max: 1 });
  await session`set statement_timeout = '8s'`;
  const before = await findDisorder(admin);
  assert(before.outside > 10_000, "most lie outside the new window");

  await callFunction(session, "update_instance", { instanceId, changes: officeHours });
  // A message that is queued now comes last, and no later batch moves it.
  const last = await enqueueText(admin, instanceId, {
    intervalSeconds: interval,
    message: "20000",
  });
  for (let calls = 1;; calls++) {
    const { isComplete, moved } = await callFunction<{ isComplete: boolean; moved: number }>(
      ...[session, "move_waiting_slots", {}] as const,
    );
    assert(moved <= 2_000, `${moved} in one call`);
    if (calls % 10 === 1) {
      const { overtaken, untold } = await findDisorder(admin);
      assertEquals([overtaken, untold], [0, 0], `after call ${calls}`);
    }
    if (isComplete) break;
    assert(calls < 100);
  }
  assertEquals(await findDisorder(admin), { ...inOrder, waiting: 20_001 });
  const [kept] = await admin<{ isKept: boolean }[]>`
    select scheduled_at = ${last.scheduledFor}::timestamptz as "isKept"
    from messaging.message_queue where message_id = ${last.messageId}`;
  assertEquals(kept?.isKept, true);
});

Deno.test("while slots are being moved no message leaves outside the new window or out of order", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin, { timeZone: "UTC" });
  await fillQueue(admin, instanceId, { messages: 5_000, interval });
  const change = (changes: object): Promise<unknown> =>
    callFunction(sql, "update_instance", { instanceId, changes });
  const countPlanned = async (): Promise<number> => {
    const [row] = await admin<
      { count: number }[]
    >`select count(*)::integer from messaging.slot_moves`;
    return row?.count ?? 0;
  };
  const today = new Date().getUTCDay() || 7;
  // Three days ahead: midnight may pass meanwhile.
  await change({ sendWindow: { days: [(today + 2) % 7 + 1] } });
  assertEquals(await countPlanned(), 3);
  assertEquals(await claimMessages(sql), [], "closed today");
  await callFunction(sql, "move_waiting_slots", {});
  assertEquals(await claimMessages(sql), []);
  assertEquals((await findDisorder(admin)).overtaken, 0);

  // The window opens before all slots have moved: order is kept, and no slot is left to move.
  await change({ sendWindow: { days: [1, 2, 3, 4, 5, 6, 7] } });
  assertEquals(await countPlanned(), 0);
  assertEquals((await claimMessages(sql)).map(({ message }) => message), ["0"]);
  assertEquals((await findDisorder(admin)).overtaken, 0);
});

Deno.test("the call that changes the window moves a few thousand slots itself", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin, { timeZone: "UTC" });
  await fillQueue(admin, instanceId, { messages: 4_000, interval });
  await callFunction(sql, "update_instance", { instanceId, changes: officeHours });
  assertEquals(await findDisorder(admin), { ...inOrder, waiting: 4_000 });
  const moved = await callFunction(sql, "move_waiting_slots", {});
  assertEquals(moved, { moved: 0, isComplete: true });
});
