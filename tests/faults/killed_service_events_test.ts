import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "postgres";
import { assert, assertEquals, assertGreater } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { untilSessionsRest } from "../support/database/sessions.ts";
import { holdRequests } from "../support/doubles/held_requests.ts";
import { startHttpDouble } from "../support/doubles/http_double.ts";
import { answerAtRandom, cancelFar, startEventTraffic } from "../support/faults/event_traffic.ts";
import { printFigures } from "../support/faults/figures.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { createBacklog, waitUntilSettled } from "../support/fixtures/backlog.ts";
import { readStory, type Story, tellStory } from "../support/fixtures/contact_story.ts";
import type { RecordedEvent } from "../support/fixtures/event_world.ts";
import { checkMessageStories } from "../support/fixtures/message_story.ts";
import { createOperator, type Tenant } from "../support/fixtures/tenant.ts";
import { createSeededRandom } from "../support/seeded_random.ts";
import { startDispatchCron } from "../support/stack/dispatch_cron.ts";
import { ownRoot, type ServiceProcess, startService } from "../support/stack/service_process.ts";

const settings = readFaultSettings();
const { kills = 5, instances = 6, messages = instances * 8, concurrency = 4 } = settings;
const operatorEmail = "ana@example.com";

Deno.test(`after ${kills} kills of the whole service among its calls, the feed and the tables tell the same story`, async () => {
  const random = createSeededRandom(settings.seed);
  await using database = await createTestDatabase();
  const { admin } = database;
  using answers = holdRequests(answerAtRandom(random));
  await using provider = startHttpDouble(answers.answer);
  const startedAt = performance.now();
  const { tenants } = await createBacklog(admin, {
    ...{ instances, messages, intervalSeconds: 1, baseUrl: provider.baseUrl },
  });
  await Promise.all(
    tenants.map(({ workspaceId }) =>
      createOperator(admin, workspaceId, { name: "Ana", email: operatorEmail })
    ),
  );
  await using lives = new AsyncDisposableStack();
  const startLife = async (): Promise<ServiceProcess> =>
    lives.use(
      await startService({
        root: ownRoot,
        databaseUrl: database.url,
        environment: { PROVIDER_TIMEOUT_MS: "1000" },
      }),
    );

  let service = await startLife();
  await using traffic = startEventTraffic({
    ...{ random, tenants, callers: concurrency, operators: [operatorEmail] },
    service: () => service,
  });
  let cutOff = 0;
  for (let killed = 0; killed < kills; killed++) {
    await using cron = startDispatchCron(`${service.url}/dispatch-queue`, 2);
    // While this one works: a start takes longer than a life needs.
    const next = await startLife();
    // The first kill meets a message that the provider has, the others any moment.
    if (killed === 0) await answers.holdNext();
    else await delay(random.between(0, 300));
    await service.kill();
    answers.release();
    await cron.stop();
    cutOff += await endLeases(admin);
    service = next;
  }
  await traffic.stop();
  await cancelFar(service, tenants);
  await using cron = startDispatchCron(`${service.url}/dispatch-queue`, 2);
  await waitUntilSettled(admin);
  await cron.stop();

  const events = (await Promise.all(tenants.map((tenant) => readFeed(service, tenant)))).flat();
  const counts = await checkMessageStories(admin, events);
  const story: Story = new Map();
  for (const event of events) tellStory(story, event);
  assertEquals(story, await readStory(admin), `seed ${random.seed}`);
  assertEquals(traffic.defects, []);
  printFigures("killed service", {
    ...{ seed: random.seed, kills, cutOff, events: events.length, contacts: story.size, ...counts },
    unanswered: traffic.answers.get("none") ?? 0,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  });
  // Otherwise the kills met nothing.
  assertGreater(cutOff, 0, "some message was in flight when the process died");
  for (const status of ["sent", "unconfirmed", "received"]) {
    assertGreater(counts[status] ?? 0, 0, status);
  }
});

/**
 * Ends the claims of the killed process, as if their leases had run out. Changes nothing that is read
 * of a message. Only while no process works: it would end that one's claims too.
 *
 * @returns how many there were.
 */
async function endLeases(admin: Sql): Promise<number> {
  // Its last statement may yet claim something.
  await untilSessionsRest(admin);
  return await admin.begin(async (transaction) => {
    await transaction`
      update messaging.dispatch set lease_until = clock_timestamp() where in_flight is not null`;
    const ended = await transaction`
      update messaging.message_queue set lease_until = clock_timestamp(),
        visible_at = case when visible_at is not null then clock_timestamp() end
      where claim_token is not null`;
    return ended.count;
  });
}

/** The whole feed of a tenant, as its token reads it. */
async function readFeed(service: ServiceProcess, { token }: Tenant): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let after = "oldest", hasMore = true; hasMore;) {
    const { status, body } = await service.call(
      `events-api/events?after=${encodeURIComponent(after)}&limit=1000`,
      { headers: { "x-client-token": token } },
    );
    assert(status === 200, JSON.stringify(body));
    events.push(...body.items);
    ({ nextCursor: after, hasMore } = body);
  }
  return events;
}
