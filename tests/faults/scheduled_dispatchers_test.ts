import type { Sql } from "postgres";
import { assert, assertEquals } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { callFunction } from "../support/database/queue_calls.ts";
import { answerNever, startHttpDouble } from "../support/doubles/http_double.ts";
import { createTenant } from "../support/fixtures/tenant.ts";
import { startSlotClock } from "../support/fixtures/slot_clock.ts";
import { printFigures } from "../support/faults/figures.ts";
import { startScheduledDispatcher } from "../support/stack/scheduled_dispatcher.ts";
import { waitUntil } from "../support/wait_until.ts";

/** A sixth of the platform's. */
const pace = { everySeconds: 3, runSeconds: 4 };
/** Longer than the test, on a slow machine too: what hangs still hangs at its end. */
const providerTimeoutMs = 60_000;
/** More than a run sends at once. */
const hangingMessages = 120;

Deno.test("a tenant whose provider hangs delays no message of another one, and no call of the schedule", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  await using hanging = startHttpDouble(answerNever);
  await using clock = startSlotClock();
  const { instanceId } = await createTenant(admin, { baseUrl: hanging.baseUrl });
  for (let number = 0; number < hangingMessages; number++) {
    await scheduleText(admin, instanceId, number);
  }
  await using dispatcher = await startScheduledDispatcher({
    ...{ databaseUrl: database.url, admin, ...pace },
    environment: { PROVIDER_TIMEOUT_MS: String(providerTimeoutMs) },
  });
  await waitUntil(() => hanging.requests.length >= hangingMessages, {
    timeoutMs: 60_000,
    what: "the calls that hang",
  });
  const slots = await clock.queue(admin, { instances: 10, messagesEach: 4, intervalSeconds: 2 });
  const lateness = await clock.awaitLateness(slots);

  const [answers] = await admin<{ count: number; failed: number }[]>`
    select count(*)::integer as count,
      count(*) filter (where status_code is distinct from 200)::integer as failed
    from net._http_response`;
  const worstMs = Math.max(...lateness);
  printFigures("scheduled dispatchers", {
    ...{ calls: answers?.count ?? 0, hanging: hanging.requests.length },
    ...{ paced: lateness.length, worstMs: Math.round(worstMs) },
  });
  assertEquals(dispatcher.process.runs.filter(({ unknown }) => unknown > 0), [], "they still hang");
  assertEquals(answers?.failed, 0);
  assert((answers?.count ?? 0) >= 2, "the schedule called again while the provider hung");
  assert(worstMs < providerTimeoutMs / 4, `a message left ${worstMs} ms after its slot`);
});

/** A message that leaves without pacing: what one tenant may have due at once. */
async function scheduleText(admin: Sql, instanceId: string, number: number): Promise<void> {
  await callFunction(admin, "accept_message", {
    ...{ instanceId, phone: String(5_521_990_000_000 + number), idempotency: null },
    ...{ assignment: null, message: { messageType: "text", message: "x" } },
    delivery: { queued: false, delaySeconds: 0.001, leaseSeconds: 30 },
  });
}
