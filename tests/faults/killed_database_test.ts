import { findFreePort } from "../support/free_port.ts";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import postgres, { type Sql } from "postgres";
import { applyMigrations } from "../../supabase/host/migrations.ts";
import { type PostgresServer, startPostgres } from "../../supabase/local/postgres_server.ts";
import { createPlatformRoles } from "../../supabase/host/roles.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { copyCluster } from "../support/database/cluster_copy.ts";
import {
  checkBacklog,
  countOpen,
  createBacklog,
  waitUntilSettled,
} from "../support/fixtures/backlog.ts";
import { startDispatchCron } from "../support/stack/dispatch_cron.ts";
import { printFigures } from "../support/faults/figures.ts";
import { surviveBrokenWrites } from "../support/faults/driver_faults.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { startFunctionProcess } from "../support/stack/function_process.ts";
import type { HttpDouble } from "../support/doubles/http_double.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";
import { createSeededRandom } from "../support/seeded_random.ts";
import {
  callUntilAnswered,
  type SenderAnswer,
  startSender,
} from "../support/stack/sender_calls.ts";
import { startSlowProvider } from "../support/doubles/slow_provider.ts";
import { createTenant, type Tenant } from "../support/fixtures/tenant.ts";
import { waitUntil } from "../support/wait_until.ts";

surviveBrokenWrites();

const settings = readFaultSettings();
const isLongRun = settings.kills !== undefined;
const { messages = isLongRun ? 2_000 : 100, instances = isLongRun ? 50 : 20 } = settings;
/** A server takes seconds to restart, a process does not: a tenth of the kills takes as long. */
const kills = settings.kills === undefined ? 2 : Math.ceil(settings.kills / 10);
const migrationsFolder = fileURLToPath(new URL("../../migrations", import.meta.url));

for (const usesDataApi of [false, true]) {
  Deno.test(`a database server killed ${kills} times over ${messages} messages, ${usesDataApi ? "behind the Data API" : "reached directly"}, costs none of them, doubles none, changes no pace and no order`, async () => {
    const random = createSeededRandom(settings.seed);
    await using folder = await makeTemporaryFolder();
    await using provider = startSlowProvider(() => random.between(50, 700));
    await using cleanup = new AsyncDisposableStack();
    // With fsync, as in production: what was committed must survive the kill.
    await copyCluster(folder.path);
    let server = await startPostgres({ dataDir: folder.path, port: findFreePort() });
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
      await startFunctionProcess({ slug: "dispatch-queue", databaseUrl, usesDataApi, environment }),
    );
    await using callers = await startCallers(databaseUrl, admin, usesDataApi);
    await using cron = startDispatchCron(dispatcher.url);
    for (let killed = 0; killed < kills; killed++) {
      // By what has been sent, so that at any pace of the machine there are messages for every kill.
      const left = messages * (1 - (killed + random.between(0.1, 0.9)) / (kills + 1));
      await waitUntil(async () => await countOpen(admin) <= left, {
        ...{ timeoutMs: 20 * 60_000, what: "enough messages before a kill" },
      });
      server = await killAndRestart(server, folder.path);
    }
    const answers = await callers.answers;
    await waitUntilSettled(admin);
    await cron.stop();

    await checkAnswers(admin, callers, answers);
    const counts = await checkBacklog(admin, backlog, provider.requests);
    printFigures("killed database server", {
      ...{ seed: random.seed, kills, instances, ...counts },
      calls: answers.length,
      seconds: Math.round((performance.now() - startedAt) / 1_000),
    });
  });
}

interface Callers extends AsyncDisposable {
  readonly tenant: Tenant;
  readonly provider: HttpDouble;
  /** The final answer to each call, in the order of the calls. */
  readonly answers: Promise<SenderAnswer[]>;
}

/** Callers that start one after the other while the server is killed, and retry until answered. */
async function startCallers(
  databaseUrl: string,
  admin: Sql,
  usesDataApi: boolean,
): Promise<Callers> {
  await using cleanup = new AsyncDisposableStack();
  const provider = cleanup.use(startSlowProvider(() => 200));
  const sender = cleanup.use(await startSender(databaseUrl, { usesDataApi }));
  const tenant = await createTenant(admin, { baseUrl: provider.baseUrl });
  const answers = Promise.all(Array.from({ length: 40 }, async (_, number) => {
    await delay(number * 150);
    const message = { phone: "5511955000000", messageType: "text", message: `call ${number}` };
    const delivery = number % 2 === 0 ? {} : { delayMessage: 0.2 };
    return await callUntilAnswered(sender, tenant, `key-${number}`, { ...message, ...delivery });
  }));
  const keep = cleanup.move();
  return { tenant, provider, answers, [Symbol.asyncDispose]: () => keep.disposeAsync() };
}

/** Each call is one message: received once, or `unconfirmed` and received at most once. */
async function checkAnswers(
  admin: Sql,
  { tenant, provider }: Callers,
  answers: readonly SenderAnswer[],
): Promise<void> {
  const rows = await admin<{ id: string; message: string; status: string }[]>`
    select id, message, status from messaging.messages where instance_id = ${tenant.instanceId}`;
  const refused = answers.filter(({ body }) => body.messageId === undefined);
  assertEquals(refused.map(({ status, body }) => [status, body["error"]]), []);
  assertEquals(rows.length, answers.length, "one message a call");
  for (const [number, { status, body }] of answers.entries()) {
    const row = rows.find(({ message }) => message === `call ${number}`);
    assertEquals(body.messageId, row?.id, `${status} ${JSON.stringify(body)}`);
    const times = provider.requests.filter(({ json }) => json["message"] === row?.message).length;
    if (row?.status === "sent") assertEquals(times, 1, row.message);
    else assert(row?.status === "unconfirmed" && times <= 1, `${row?.status}, ${times} times`);
  }
}

/** Kills the server; the next one recovers the committed data, at the same address. */
async function killAndRestart(server: PostgresServer, dataDir: string): Promise<PostgresServer> {
  Deno.kill(server.pid, "SIGKILL");
  await server.exited;
  await server.stop();
  return await startPostgres({ dataDir, port: server.port });
}
