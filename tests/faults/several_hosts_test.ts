import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { openDirectDatabase } from "../../shared/database/direct_database.ts";
import { assert, assertEquals, assertGreater, assertMatch } from "../support/assert.ts";
import type { ReplicatedPostgres } from "../support/database/replicated_postgres.ts";
import { startSlowProvider } from "../support/doubles/slow_provider.ts";
import { surviveBrokenWrites } from "../support/faults/driver_faults.ts";
import { isReady, serveOn, startCluster } from "../support/faults/promoted_service.ts";
import { createTenant, type Tenant } from "../support/fixtures/tenant.ts";
import { startDataApiServer } from "../support/stack/data_api_server.ts";
import { callSender, callUntilAnswered } from "../support/stack/sender_calls.ts";
import { type ServeProcess, spawnServe } from "../support/stack/serve_process.ts";
import { waitUntil } from "../support/wait_until.ts";

surviveBrokenWrites();

function send(service: ServeProcess, tenant: Tenant, key: string): ReturnType<typeof callSender> {
  const body = { phone: "5511987654321", messageType: "text", message: key };
  return callSender({ url: `${service.origin}/functions/v1/send-message` }, tenant, key, body);
}

async function readMessages(url: string): Promise<string[]> {
  const sql = postgres(url, { max: 1 });
  try {
    const rows = await sql<
      { message: string }[]
    >`select message from messaging.messages order by 1`;
    return rows.map(({ message }) => message);
  } finally {
    await sql.end();
  }
}

/** The same hosts, the standby named first. */
function standbyFirst(cluster: ReplicatedPostgres): string {
  const [, head, first, second, tail] = /^(.*@)([^,]+),([^/]+)(\/.*)$/.exec(cluster.databaseUrl) ??
    [];
  return `${head}${second},${first}${tail}`;
}

Deno.test("of several hosts the service writes to the primary, follows a promotion by itself, and never goes back to a former primary that returns", async () => {
  await using cluster = await startCluster({ isSynchronous: true });
  await using provider = startSlowProvider(() => 0);
  const tenant = await createTenant(cluster.admin(), { baseUrl: provider.baseUrl });
  await using service = await serveOn(cluster, { DATABASE_URL: standbyFirst(cluster) });
  assertEquals((await send(service, tenant, "before"))?.status, 200);
  const countLeases = (): number => service.logged("scheduler_lease_acquired").length;
  await waitUntil(() => countLeases() > 0, { what: "a scheduler on the first primary" });

  await cluster.killPrimary();
  assertEquals((await send(service, tenant, "between"))?.status, 503);
  const leasesBefore = countLeases();
  await cluster.promote();
  const promotedAt = performance.now();
  const body = { phone: "5511987654321", messageType: "text", message: "after" };
  const sender = { url: `${service.origin}/functions/v1/send-message` };
  assertEquals((await callUntilAnswered(sender, tenant, "after", body)).status, 200);
  assertGreater(5_000, performance.now() - promotedAt);
  await waitUntil(() => countLeases() > leasesBefore, {
    what: "a scheduler on the promoted server",
  });

  await cluster.restartFormer();
  // Whatever makes it look again: every connection is lost, and both servers take writes.
  for (let round = 0; round < 3; round++) {
    await cluster.admin()`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like 'messaging%' and pid <> pg_backend_pid()`;
    const key = `round-${round}`;
    await callUntilAnswered(sender, tenant, key, { ...body, message: key });
  }
  await waitUntil(() => isReady(service));
  assertEquals(await readMessages(cluster.urls.standby()), ["before"]);
  assertEquals(
    await readMessages(cluster.urls.primary()),
    ["after", "before", "round-0", "round-1", "round-2"],
  );

  const former = cluster.urls.standby();
  await cluster.killPrimary();
  for (let number = 0; number < 10; number++) {
    assertEquals((await send(service, tenant, `alone-${number}`))?.status, 503);
    await delay(300);
  }
  assertEquals(await readMessages(former), ["before"]);
});

Deno.test("a promotion while the former primary is still there moves every call to the promoted server", async () => {
  await using cluster = await startCluster({ isSynchronous: false });
  await using provider = startSlowProvider(() => 0);
  const tenant = await createTenant(cluster.admin(), { baseUrl: provider.baseUrl });
  await using service = await serveOn(cluster, { PROMOTION: "continue" });
  assertEquals((await send(service, tenant, "before"))?.status, 200);
  await waitUntil(async () => (await readMessages(cluster.urls.standby())).length === 1);
  await cluster.promote();
  const former = cluster.urls.standby();
  await delay(4_000);
  for (let number = 0; number < 20; number++) {
    assertEquals((await send(service, tenant, `after-${number}`))?.status, 200);
  }
  assertEquals(await readMessages(former), ["before"]);
});

Deno.test("behind the local Data API sessions and the listener for its schema follow a promotion too", async () => {
  await using cluster = await startCluster({ isSynchronous: true });
  const secret = "sb_secret_of_the_hosts_test_0123456789";
  await using api = startDataApiServer(cluster.databaseUrl, secret, { recoveryMs: 100 });
  const call = async (name: string): Promise<number> => {
    const response = await fetch(`${api.url}/rest/v1/rpc/${name}`, {
      ...{ method: "POST", body: JSON.stringify({ request: {} }) },
      headers: { apikey: secret, "content-type": "application/json" },
    });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await call("get_service_health"), 200);
  await cluster.killPrimary();
  await cluster.promote();
  await waitUntil(async () => await call("get_service_health") === 200, { what: "an answer" });
  await cluster.admin().unsafe(`
    create function public.made_later(request jsonb) returns jsonb language sql
    return jsonb_build_object('made', true)`);
  await cluster.admin()`grant execute on function public.made_later to service_role`;
  await cluster.admin()`notify pgrst, 'reload schema'`;
  await waitUntil(async () => await call("made_later") === 200, { what: "the new function" });
});

Deno.test("with every host dead calls are refused, and few connections are tried", async () => {
  using one = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using two = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let tried = 0;
  const refuse = async (listener: Deno.Listener): Promise<void> => {
    for await (const connection of listener) {
      tried += 1;
      connection.close();
    }
  };
  const refusing = [refuse(one), refuse(two)];
  const ports = [one, two].map(({ addr }) => (addr as Deno.NetAddr).port);
  const database = openDirectDatabase(
    `postgres://nobody:none@127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}/none`,
  );
  const startedAt = performance.now();
  const refused: unknown[] = [];
  while (performance.now() - startedAt < 4_000) {
    await database.rpc("list_workspaces", { limit: 1, after: null } as never)
      .catch((error) => refused.push(error.code));
    await delay(5);
  }
  await database.close();
  one.close();
  two.close();
  await Promise.all(refusing).catch(() => {});
  assertGreater(refused.length, 3);
  assertEquals(new Set(refused), new Set(["service_unavailable"]));
  assert(tried < 200, `${tried} connections in four seconds`);
});

Deno.test("a start says that no host takes writes, and waits for one; a standby alone is refused", async () => {
  await using cluster = await startCluster({ isSynchronous: false });
  const alone = spawnServe({ environment: { DATABASE_URL: cluster.urls.standby() } });
  assertEquals(await alone.ended(), 1);
  assertMatch(alone.output(), /^The database of DATABASE_URL is a standby, .*\n$/);

  const standby = cluster.urls.standby();
  await cluster.killPrimary();
  await using waiting = spawnServe({ environment: { DATABASE_URL: cluster.databaseUrl } });
  await waitUntil(() => waiting.output() !== "", { what: "a word of the waiting service" });
  assertMatch(
    waiting.output(),
    /^No host of DATABASE_URL takes writes: host 1 does not answer \(\w+\); host 2 is a standby\. Waiting for one that does\.\n$/,
  );
  await cluster.promote();
  await waiting.ready();
  assertEquals(standby, cluster.urls.primary());
});

Deno.test("a service that waits for a host that takes writes ends when it is told to", async () => {
  const service = spawnServe({
    environment: { DATABASE_URL: "postgres://nobody:none@127.0.0.1:9,127.0.0.1:10/none" },
  });
  await waitUntil(() => service.output().includes("No host"), { what: "a waiting service" });
  service.signal("SIGTERM");
  assertEquals(await service.ended(), 0);
  await using refused = spawnServe({
    environment: { DATABASE_URL: "postgres://n:n@a,b/none?target_session_attrs=standby" },
  });
  assertEquals(await refused.ended(), 1);
  assertMatch(refused.output(), /^target_session_attrs in DATABASE_URL must be read-write/);
});
