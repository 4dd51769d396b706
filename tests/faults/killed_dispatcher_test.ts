import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "postgres";
import { assertEquals, assertGreater } from "../support/assert.ts";
import {
  checkBacklog,
  countOpen,
  createBacklog,
  waitUntilSettled,
} from "../support/fixtures/backlog.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { startDataApiServer } from "../support/stack/data_api_server.ts";
import { startDispatchCron } from "../support/stack/dispatch_cron.ts";
import { printFigures } from "../support/faults/figures.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import {
  type FunctionProcess,
  secretKey,
  startFunctionProcess,
} from "../support/stack/function_process.ts";
import { createSeededRandom, type SeededRandom } from "../support/seeded_random.ts";
import { type SlowProvider, startSlowProvider } from "../support/doubles/slow_provider.ts";
import { waitUntil } from "../support/wait_until.ts";

const settings = readFaultSettings();
const isLongRun = settings.kills !== undefined;
const { kills = 5, messages = isLongRun ? 2_000 : 100, instances = isLongRun ? 50 : 12 } = settings;
const intervalSeconds = 2;

Deno.test(`a dispatcher killed ${kills} times over ${messages} messages loses none, sends none twice, keeps pace and order`, async () => {
  const random = createSeededRandom(settings.seed);
  await using database = await createTestDatabase();
  await using provider = startSlowProvider(() => random.between(50, 700));
  await using dataApi = startDataApiServer(database.url, secretKey);
  const { baseUrl } = provider;
  const startedAt = performance.now();
  const backlog = await createBacklog(database.admin, {
    ...{ instances, messages, intervalSeconds, baseUrl },
  });

  let killed = 0;
  let killedWhileSending = 0;
  while (killed < kills && await countOpen(database.admin) > 0) {
    // Two by two over both transports: each breaks off differently when the process is killed.
    const dispatcher = await startDispatcher(
      database.url,
      Math.floor(killed / 2) % 2 === 0 ? "" : dataApi.url,
    );
    // Every other kill meets a message that the provider has, the others any moment.
    await (killed % 2 === 0 ? runAndKillInCall : runAndKill)(dispatcher, provider, random);
    killed += 1;
    if (await countInFlight(database.admin) > 0) killedWhileSending += 1;
  }
  await runUntilSettled(database.url, database.admin);

  const counts = await checkBacklog(database.admin, backlog, provider.requests);
  printFigures("killed dispatcher", {
    ...{ seed: random.seed, kills: killed, killedWhileSending, instances, ...counts },
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  });
  assertEquals(killed, kills, "there were messages for every kill");
  // Otherwise the test proves nothing: a kill between two messages breaks nothing.
  assertGreater(counts.unconfirmed, 0);
});

/** Runs a dispatcher and kills it while the provider keeps its answer back. */
async function runAndKillInCall(
  dispatcher: FunctionProcess,
  provider: SlowProvider,
): Promise<void> {
  await using _killed = dispatcher;
  await using cron = startDispatchCron(dispatcher.url);
  await provider.holdNext();
  await dispatcher.kill();
  provider.release();
  await cron.stop();
}

/** Runs a dispatcher and kills it at a random moment of its first 1.5 seconds of sending. */
async function runAndKill(
  dispatcher: FunctionProcess,
  provider: SlowProvider,
  random: SeededRandom,
): Promise<void> {
  await using _killed = dispatcher;
  await using cron = startDispatchCron(dispatcher.url);
  const before = provider.requests.length;
  await waitUntil(() => provider.requests.length > before, {
    timeoutMs: 120_000,
    intervalMs: 5,
    what: "a first message of the new dispatcher",
  });
  await delay(random.between(0, 1_500));
  await dispatcher.kill();
  await cron.stop();
}

async function runUntilSettled(databaseUrl: string, admin: Sql): Promise<void> {
  await using dispatcher = await startDispatcher(databaseUrl);
  await using cron = startDispatchCron(dispatcher.url);
  await waitUntilSettled(admin);
  await cron.stop();
}

function startDispatcher(databaseUrl: string, dataApiUrl = ""): Promise<FunctionProcess> {
  // A killed dispatcher's claims last for the provider time-out and 15 seconds.
  const environment = { PROVIDER_TIMEOUT_MS: "2000", SUPABASE_URL: dataApiUrl };
  return startFunctionProcess({ slug: "dispatch-queue", databaseUrl, environment });
}

/** Messages that a killed dispatcher had claimed. */
async function countInFlight(admin: Sql): Promise<number> {
  const [row] = await admin<{ count: number }[]>`
    select count(*)::integer as count from messaging.dispatch where in_flight is not null`;
  return row?.count ?? 0;
}
