/** messaging.cancel_on_payment: what the end of a payment cancels. */

import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

const instanceId = "00000000-0000-4000-8000-000000000001";
const foreignId = "00000000-0000-4000-8000-000000000002";

Deno.test("a payment's end cancels what waits for its reference on its instance, in the caller's transaction", async () => {
  await using database = await createTestDatabase();
  await createTenant(database.admin, { instanceId });
  await createTenant(database.admin, { instanceId: foreignId });
  const accept = async (
    of: string,
    cancelOn: readonly string[],
    reference?: string,
  ): Promise<string> => {
    const { messageId } = await callFunction<{ messageId: string }>(
      database.sql,
      "accept_message",
      {
        ...{ instanceId: of, phone: "5511987654321", idempotency: null },
        ...{ assignment: null, agent: null, message: { messageType: "text", message: "Olá" } },
        delivery: {
          ...{ queued: false, intervalSeconds: 30, delaySeconds: 60, leaseSeconds: 30 },
          timing: { cancelOn, ...(reference ? { paymentReference: reference } : {}) },
        },
      },
    );
    return messageId;
  };
  const waiting = [
    await accept(instanceId, ["payment"], "ped-1"),
    await accept(instanceId, ["reply", "payment"], "ped-1"),
  ];
  const others = [
    await accept(instanceId, ["payment"], "ped-2"),
    await accept(instanceId, ["reply"]),
    await accept(foreignId, ["payment"], "ped-1"),
  ];
  const [claimed] = [await accept(instanceId, ["payment"], "ped-1")];
  await database.admin`update messaging.message_queue set claim_token = gen_random_uuid(),
    lease_until = now() + interval '1 minute' where message_id = ${claimed}`;
  const states = async () => {
    const rows = await database.admin<{ id: string; status: string; cancel_reason: string }[]>`
      select id, status, case when status = 'canceled' then cancel_reason end as cancel_reason
      from messaging.messages`;
    return new Map(rows.map(({ id, status, cancel_reason }) => [id, [status, cancel_reason]]));
  };
  const cancel = (sql: typeof database.admin, reason: string) =>
    sql`select messaging.cancel_on_payment(${instanceId}, 'ped-1', ${reason}) as canceled`;
  await database.admin.begin(async (sql) => {
    assertEquals((await cancel(sql as never, "paid"))[0]?.["canceled"], 2);
    throw new Error("rolled back");
  }).catch(() => {});
  for (const [status] of (await states()).values()) assertEquals(status, "queued");
  const before = await database.admin`select from messaging.events`;
  assertEquals((await cancel(database.admin, "payment_canceled"))[0]?.["canceled"], 2);
  assertEquals((await cancel(database.admin, "paid"))[0]?.["canceled"], 0);
  const after = await states();
  for (const id of waiting) assertEquals(after.get(id), ["canceled", "payment_canceled"]);
  for (const id of [...others, claimed!]) assertEquals(after.get(id), ["queued", null]);
  const events = await database.admin`select type from messaging.events order by sequence`;
  assertEquals(events.slice(before.length).map(({ type }) => type), [
    ...["message.canceled", "message.canceled"],
  ]);
  const queued = await database.admin`select from messaging.message_queue
    where message_id = any (${waiting})`;
  assertEquals(queued.length, 0);
});
