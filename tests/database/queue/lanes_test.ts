import { assertEquals, assertRejects } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction, claimMessages, enqueueText } from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

Deno.test("a queue row is in one lane, and only an unpaced one has a visibility time-out", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  await enqueueText(admin, instanceId);
  const [paced] = await admin`select lane, visible_at from messaging.message_queue`;
  assertEquals({ ...paced }, { lane: "paced", visible_at: null });
  for (
    const contradiction of [
      "visible_at = now()",
      "lane = 'unpaced'",
      "lane = 'fast'",
      "lane = 'fast', visible_at = now()",
    ]
  ) {
    await assertRejects(
      () => admin.unsafe(`update messaging.message_queue set ${contradiction}`).execute(),
      Error,
      "message_queue_state",
    );
  }
});

Deno.test("an unpaced message is visible when it is due, and claimed not before its lease ends", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  await callFunction(admin, "accept_message", {
    instanceId,
    phone: "5511987654321",
    idempotency: null,
    assignment: null,
    message: { messageType: "text", message: "x" },
    delivery: { queued: false, intervalSeconds: 30, delaySeconds: 600, leaseSeconds: 30 },
  });
  const [waiting] = await admin`
    select lane, visible_at = scheduled_at as is_visible_when_due from messaging.message_queue`;
  assertEquals({ ...waiting }, { lane: "unpaced", is_visible_when_due: true });
  assertEquals(await claimMessages(admin), []);
  await letTimePass(admin, 600);
  assertEquals((await claimMessages(admin)).length, 1);
  const [claimed] = await admin`
    select visible_at = lease_until as is_visible_when_lease_ends from messaging.message_queue`;
  assertEquals({ ...claimed }, { is_visible_when_lease_ends: true });
  assertEquals(await claimMessages(admin), []);
});
