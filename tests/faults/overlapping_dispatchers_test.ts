import { setTimeout as delay } from "node:timers/promises";
import { assert, assertEquals, assertGreater } from "../support/assert.ts";
import { checkBacklog, createBacklog, waitUntilSettled } from "../support/fixtures/backlog.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { startDispatchCron } from "../support/stack/dispatch_cron.ts";
import { printFigures } from "../support/faults/figures.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { startFunctionProcess } from "../support/stack/function_process.ts";
import { acceptMessage, startHttpDouble } from "../support/doubles/http_double.ts";
import { createSeededRandom } from "../support/seeded_random.ts";
import { waitUntil } from "../support/wait_until.ts";
import { letTimePass } from "../support/database/time_travel.ts";

const settings = readFaultSettings();
/** More instances than one dispatcher makes calls at once, so it cannot claim all that is due. */
/** On a busy machine, eight processes that start at once are more than a second late. */
const intervalSeconds = 4;
const { concurrency = 8, messages = 300, instances = 100 } = settings;

Deno.test(`${concurrency} concurrent dispatchers on one database send each message once and keep every instance's pace and order`, async () => {
  const random = createSeededRandom(settings.seed);
  await using database = await createTestDatabase();
  const inFlight = new Set<string>();
  let overlaps = 0;
  await using provider = startHttpDouble(async (request) => {
    if (inFlight.has(request.path)) overlaps += 1;
    inFlight.add(request.path);
    await delay(random.between(0, 200));
    inFlight.delete(request.path);
    return acceptMessage(request);
  });
  await using cleanup = new AsyncDisposableStack();
  const processes = await Promise.all(
    Array.from(
      { length: concurrency },
      () => startFunctionProcess({ slug: "dispatch-queue", databaseUrl: database.url }),
    ),
  );
  for (const dispatcher of processes) cleanup.use(dispatcher);

  const startedAt = performance.now();
  const { baseUrl } = provider;
  const backlog = await createBacklog(database.admin, {
    ...{ instances, messages, intervalSeconds, baseUrl },
  });
  // After an hour's outage every slot is past, and only the dispatchers keep the pace.
  await letTimePass(database.admin, 3_600);
  const crons = processes.map(({ url }) => startDispatchCron(url, 3));
  await waitUntilSettled(database.admin);
  await Promise.all(crons.map((cron) => cron.stop()));

  const counts = await checkBacklog(database.admin, backlog, provider.requests);
  // A run tells what it has sent when it ends.
  const readShares = (): number[] =>
    processes.map(({ runs }) => runs.reduce((sum, run) => sum + run.accepted, 0));
  await waitUntil(() => sumOf(readShares()) === messages, {
    timeoutMs: 120_000,
    what: "the runs to tell of every message",
  });
  const shares = readShares();
  printFigures("overlapping dispatchers", {
    ...{ dispatchers: concurrency, instances, ...counts, shares: shares.join("/") },
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  });
  assertEquals(counts.sent, messages, "nobody died, so nothing is in doubt");
  assertEquals(overlaps, 0, "two messages of an instance were in flight at once");
  assertGreater(shares.filter((share) => share > 0).length, 1, "the dispatchers share the work");
  assert(processes.every(({ runs }) => runs.every(({ woken }) => woken === 0)));
});

function sumOf(shares: readonly number[]): number {
  return shares.reduce((sum, share) => sum + share, 0);
}
