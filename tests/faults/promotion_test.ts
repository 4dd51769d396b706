import { setTimeout as delay } from "node:timers/promises";
import { openDirectDatabase } from "../../shared/database/direct_database.ts";
import type { FeedPage } from "../../shared/database/rpcs/events.ts";
import { assert, assertEquals, assertGreater } from "../support/assert.ts";
import type { ReplicatedPostgres } from "../support/database/replicated_postgres.ts";
import { startHttpDouble } from "../support/doubles/http_double.ts";
import { startSlowProvider } from "../support/doubles/slow_provider.ts";
import { surviveBrokenWrites } from "../support/faults/driver_faults.ts";
import { printFigures } from "../support/faults/figures.ts";
import { followFeed, startSending } from "../support/faults/promotion_load.ts";
import { isReady, serveOn, startCluster } from "../support/faults/promoted_service.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { checkBacklog, createBacklog, waitUntilSettled } from "../support/fixtures/backlog.ts";
import { createTenant, type Tenant } from "../support/fixtures/tenant.ts";
import { createSeededRandom } from "../support/seeded_random.ts";
import type { ServeProcess } from "../support/stack/serve_process.ts";
import { waitUntil } from "../support/wait_until.ts";

surviveBrokenWrites();

const settings = readFaultSettings();
/** A promotion takes seconds. The long run is `deno task test tests/faults/promotion_test.ts --kills 30 --requests 200`. */
const { kills: promotions = 1, requests: sendsPerSecond = 20, instances = 20 } = settings;
/** How long the service may take to be ready again after a promotion, and to write. */
const [readyWithinMs, writingWithinMs] = [10_000, 5_000];
Deno.test(`${promotions} promotions of a synchronous standby under load lose nothing, send nothing twice, change no pace, and leave no gap in the feed`, async () => {
  const random = createSeededRandom(settings.seed);
  await using cluster = await startCluster({ isSynchronous: true });
  await using provider = startSlowProvider(() => random.between(20, 300));
  await using direct = startSlowProvider(() => random.between(20, 300));
  await using receiver = startHttpDouble(() => new Response(null, { status: 204 }));
  const messages = settings.messages ?? instances * 6 * promotions;
  const backlog = await createBacklog(cluster.admin(), {
    ...{ instances, messages, intervalSeconds: 2, baseUrl: provider.baseUrl },
  });
  const tenant = await createTenant(cluster.admin(), { baseUrl: direct.baseUrl });
  await using service = await serveOn(cluster);
  await createEndpoint(service, tenant, receiver.baseUrl);
  const follower = await followFeed(service, tenant);
  const sending = startSending(service, tenant, sendsPerSecond);

  const times = { ready: 0, writing: 0 };
  for (let promoted = 0; promoted < promotions; promoted++) {
    if (promoted > 0) await cluster.addStandby();
    await waitUntil(() => readSynchronous(cluster), { what: "a noted standby" });
    const before = sending.answered();
    await waitUntil(() => sending.answered() > before + sendsPerSecond, { what: "some sends" });
    await cluster.killPrimary();
    await delay(random.between(0, 2_000));
    await cluster.promote();
    const promotedAt = performance.now();
    const atPromotion = sending.answered();
    const writing = waitUntil(() => sending.answered() > atPromotion, { intervalMs: 10 })
      .then(() => performance.now() - promotedAt);
    await waitUntil(() => isReady(service), { intervalMs: 10, what: "a ready service" });
    times.ready = Math.max(times.ready, performance.now() - promotedAt);
    times.writing = Math.max(times.writing, await writing);
  }
  const calls = await sending.end();
  await waitUntilSettled(cluster.admin());
  await follower.end();

  const counts = await checkBacklog(cluster.admin(), backlog, provider.requests);
  const rows = await cluster.admin()<{ message: string; status: string }[]>`
    select message, status from messaging.messages where instance_id = ${tenant.instanceId}`;
  assertEquals(rows.length, calls, "one message a call");
  const received = Map.groupBy(direct.requests, ({ json }) => String(json["message"]));
  for (const { message, status } of rows) {
    const times = received.get(message)?.length ?? 0;
    if (status === "unconfirmed") assert(times <= 1, `${message} arrived ${times} times`);
    else assertEquals([status, times], ["sent", 1], message);
  }
  const told = await readEvents(cluster, tenant);
  assertEquals(follower.events.map(({ id }) => id), told, "every event once, in order");
  assertEquals(follower.expired, 0);
  await waitUntil(() => {
    const delivered = new Set(receiver.requests.map(({ json }) => json["id"]));
    return told.every((id) => delivered.has(id));
  }, { what: "every event at the receiver" });
  const holds = await cluster.admin()`
    select from messaging.dispatch where operator_hold_until > now()`;
  assertEquals(holds.length, 0, "nothing is held for a promotion that lost nothing");
  printFigures("promotions, synchronous", {
    ...{ seed: random.seed, promotions, instances, ...counts, calls, events: told.length },
    unconfirmedSends: rows.filter(({ status }) => status === "unconfirmed").length,
    ...{ readyMs: Math.round(times.ready), writingMs: Math.round(times.writing) },
  });
  assertGreater(readyWithinMs, times.ready);
  assertGreater(writingWithinMs, times.writing);
});

Deno.test("the feed tells no event that the synchronous standby has not got, and waits for nothing where there is none to tell", async () => {
  await using cluster = await startCluster({ isSynchronous: true });
  const admin = cluster.admin();
  const [tenant, other] = [await createTenant(admin), await createTenant(admin)];
  const database = openDirectDatabase(cluster.urls.primary());
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => database.close());
  const read = ({ instanceId }: Tenant): Promise<FeedPage> =>
    database.rpc("read_events", { instanceId, after: "oldest", types: null, limit: 10 });
  await Promise.all([read(tenant), read(other)]);

  await cluster.disconnectStandby();
  // As a commit whose wait has ended with its server: sessions that still work see it.
  await admin.begin(async (transaction) => {
    await transaction`set local synchronous_commit = local`;
    await transaction`
      select messaging.record_event(${tenant.instanceId}, null, 'instance.connected', '{}')`;
  });
  const told = read(tenant);
  const empty = await read(other);
  assertEquals(empty.state === "ok" && empty.items.length, 0);
  assertEquals(await Promise.race([told, delay(2_000, "waits")]), "waits");
  await cluster.reconnectStandby();
  const page = await told;
  assertEquals(page.state === "ok" && page.items.length, 1);
});

Deno.test("while commits wait for a standby, what the dispatcher notes of it stays fresh", async () => {
  await using cluster = await startCluster({ isSynchronous: true });
  const database = openDirectDatabase(cluster.urls.primary());
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => database.close());
  const readAge = async (renews: boolean): Promise<number> => {
    await database.rpc("note_server", { promotion: "hold", renews });
    const [row] = await cluster.admin()<{ seconds: number }[]>`
      select extract(epoch from clock_timestamp() - seen_at)::float as seconds
      from messaging.database_servers`;
    return row?.seconds ?? Infinity;
  };
  await readAge(false);
  await cluster.admin()`
    update messaging.database_servers set seen_at = clock_timestamp() - interval '5 minutes'`;
  assertGreater(await readAge(false), 299);
  assertGreater(60, await readAge(true));
});

async function createEndpoint(
  { origin }: ServeProcess,
  tenant: Tenant,
  url: string,
): Promise<void> {
  const response = await fetch(`${origin}/functions/v1/events-api/endpoints`, {
    method: "POST",
    headers: { "x-client-token": tenant.token, "content-type": "application/json" },
    body: JSON.stringify({ url, instanceId: tenant.instanceId }),
  });
  assertEquals(response.status, 201, await response.text());
}

/** Whether the service has noted that commits wait for a standby. */
async function readSynchronous(cluster: ReplicatedPostgres): Promise<boolean> {
  const [row] = await cluster.admin()<{ isSynchronous: boolean }[]>`
    select is_synchronous as "isSynchronous" from messaging.database_servers order by id desc limit 1`;
  return row?.isSynchronous === true;
}

/** The events of a tenant since its endpoint was made, as the feed names them. */
async function readEvents(cluster: ReplicatedPostgres, tenant: Tenant): Promise<string[]> {
  const rows = await cluster.admin()<{ id: string }[]>`
    select 'evt_' || replace(id::text, '-', '') as id from messaging.events
    where instance_id = ${tenant.instanceId} order by sequence`;
  return rows.map(({ id }) => id);
}
