import { assertEquals, assertRejects } from "../support/assert.ts";
import { createTestDatabase } from "../support/database.ts";
import { claimMessages, enqueueText } from "../support/queue_calls.ts";
import { createTenant } from "../support/tenant.ts";

Deno.test("a queue row is in one lane, and only an unpaced one has a visibility time-out", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  await enqueueText(admin, instanceId);
  const [paced] = await admin`select lane, visible_at from messaging.message_queue`;
  assertEquals(paced, { lane: "paced", visible_at: null });
  for (
    const contradiction of [
      admin`update messaging.message_queue set visible_at = now()`,
      admin`update messaging.message_queue set lane = 'unpaced'`,
      admin`update messaging.message_queue set lane = 'fast', visible_at = now()`,
    ]
  ) {
    await assertRejects(() => contradiction.execute(), Error, "message_queue_state");
  }
});

Deno.test("while an unpaced message is claimed it becomes visible when its lease ends", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  await enqueueText(admin, instanceId, { delivery: { queued: false, delaySeconds: 0.01 } });
  const [waiting] = await admin`
    select lane, visible_at = scheduled_at as is_visible_when_due from messaging.message_queue`;
  assertEquals(waiting, { lane: "unpaced", is_visible_when_due: true });
  await new Promise((resolve) => setTimeout(resolve, 50));
  assertEquals((await claimMessages(admin)).length, 1);
  const [claimed] = await admin`
    select visible_at = lease_until as is_end_of_lease from messaging.message_queue`;
  assertEquals(claimed, { is_end_of_lease: true });
  assertEquals(await claimMessages(admin), []);
});
