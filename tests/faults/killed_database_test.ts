import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { applyMigrations } from "../../supabase/local/migrations.ts";
import { type PostgresServer, startPostgres } from "../../supabase/local/postgres_server.ts";
import { createPlatformRoles } from "../../supabase/local/roles.ts";
import { assertEquals } from "../support/assert.ts";
import { checkBacklog, countOpen, createBacklog, waitUntilSettled } from "../support/backlog.ts";
import { startDispatchCron } from "../support/dispatch_cron.ts";
import { printFigures } from "../support/fault_figures.ts";
import { readFaultSettings } from "../support/fault_settings.ts";
import { startFunctionProcess } from "../support/function_process.ts";
import { makeTemporaryFolder } from "../support/local_stack.ts";
import { createSeededRandom } from "../support/seeded_random.ts";
import { startSlowProvider } from "../support/slow_provider.ts";

const settings = readFaultSettings();
const isLongRun = settings.kills !== undefined;
const { messages = isLongRun ? 2_000 : 100, instances = isLongRun ? 50 : 20 } = settings;
/** A server takes seconds to come back, a process does not: a tenth of the kills is as long. */
const kills = settings.kills === undefined ? 2 : Math.ceil(settings.kills / 10);
const migrationsFolder = fileURLToPath(new URL("../../migrations", import.meta.url));

Deno.test(`a database server killed ${kills} times over ${messages} messages costs none of them, doubles none, changes no pace and no order`, async () => {
  const random = createSeededRandom(settings.seed);
  await using folder = await makeTemporaryFolder();
  await using provider = startSlowProvider(() => random.between(50, 700));
  await using cleanup = new AsyncDisposableStack();
  // With fsync, as every server that matters: what was committed must be there after the kill.
  let server = await startPostgres({ dataDir: folder.path });
  cleanup.defer(() => server.stop());
  const { databaseUrl } = server;
  const admin = postgres(databaseUrl, { max: 20, onnotice: () => {} });
  cleanup.defer(() => admin.end({ timeout: 3 }));
  await createPlatformRoles(admin);
  await applyMigrations(admin, migrationsFolder);

  const startedAt = performance.now();
  const { baseUrl } = provider;
  const backlog = await createBacklog(admin, {
    ...{ instances, messages, intervalSeconds: 2, baseUrl },
  });
  const environment = { PROVIDER_TIMEOUT_MS: "2000" };
  const dispatcher = cleanup.use(
    await startFunctionProcess({ slug: "dispatch-queue", databaseUrl, environment }),
  );
  await using cron = startDispatchCron(dispatcher.url);
  let killed = 0;
  while (killed < kills) {
    await delay(random.between(500, 3_000));
    if (await countOpen(admin) === 0) break;
    server = await killAndRestart(server, folder.path);
    killed += 1;
  }
  await waitUntilSettled(admin);
  await cron.stop();

  const counts = await checkBacklog(admin, backlog, provider.requests);
  printFigures("killed database server", {
    ...{ seed: random.seed, kills: killed, instances, ...counts },
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  });
  assertEquals(killed, kills, "there were messages for every kill");
});

/** Ends the server as a crash does; the next one recovers what was committed, at the same address. */
async function killAndRestart(server: PostgresServer, dataDir: string): Promise<PostgresServer> {
  Deno.kill(server.pid, "SIGKILL");
  await server.exited;
  await server.stop();
  return await startPostgres({ dataDir, port: server.port });
}
