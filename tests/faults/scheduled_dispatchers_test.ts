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
/** The longest that the functions take. */
const providerTimeoutMs = 60_000;
/** More than a run sends at once. */
const hangingMessages = 120;
/** How often the messages are measured: on a slow machine what hangs may be given up meanwhile. */
const mostMeasurements = 4;

Deno.test("a tenant whose provider hangs delays no message of another one, and no call of the schedule", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  await using hanging = startHttpDouble(answerNever);
  await using clock = startSlotClock();
  await using _dispatcher = await startScheduledDispatcher({
    ...{ databaseUrl: database.url, admin, ...pace },
    environment: { PROVIDER_TIMEOUT_MS: String(providerTimeoutMs) },
  });
  const measure = async (): Promise<{ worstMs: number; stillHangs: boolean }> => {
    const { instanceId } = await createTenant(admin, { baseUrl: hanging.baseUrl });
    const before = hanging.requests.length;
    for (let number = 0; number < hangingMessages; number++) {
      await scheduleText(admin, instanceId, number);
    }
    await waitUntil(() => hanging.requests.length >= before + hangingMessages, {
      timeoutMs: 180_000,
      what: "the calls that hang",
    });
    const slots = await clock.queue(admin, { instances: 10, messagesEach: 4, intervalSeconds: 2 });
    const worstMs = Math.max(...await clock.awaitLateness(slots));
    const ended = await admin`
      select from messaging.messages where instance_id = ${instanceId} and status not in ('queued', 'sending')`;
    return { worstMs, stillHangs: ended.length === 0 };
  };
  let measured = await measure();
  for (let count = 1; !measured.stillHangs && count < mostMeasurements; count++) {
    measured = await measure();
  }

  const [answers] = await admin<{ count: number; failed: number }[]>`
    select count(*)::integer as count,
      count(*) filter (where status_code is distinct from 200)::integer as failed
    from net._http_response`;
  const { worstMs, stillHangs } = measured;
  printFigures("scheduled dispatchers", {
    ...{ calls: answers?.count ?? 0, hanging: hanging.requests.length },
    worstMs: Math.round(worstMs),
  });
  assert(stillHangs, "they still hang");
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
