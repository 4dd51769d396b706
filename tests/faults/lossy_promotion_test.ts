import { assert, assertEquals } from "../support/assert.ts";
import postgres from "postgres";
import type { ReplicatedPostgres } from "../support/database/replicated_postgres.ts";
import { type SlowProvider, startSlowProvider } from "../support/doubles/slow_provider.ts";
import { surviveBrokenWrites } from "../support/faults/driver_faults.ts";
import { isReady, serveOn, startCluster } from "../support/faults/promoted_service.ts";
import { type FeedFollower, followFeed } from "../support/faults/promotion_load.ts";
import { createTenant, type Tenant } from "../support/fixtures/tenant.ts";
import { secretKey } from "../support/stack/function_process.ts";
import {
  openCalls,
  type ServiceAnswer,
  type ServiceCalls,
} from "../support/stack/service_process.ts";
import type { ServeProcess } from "../support/stack/serve_process.ts";
import { waitUntil } from "../support/wait_until.ts";

surviveBrokenWrites();

const count = 10;

interface Promoted {
  readonly cluster: ReplicatedPostgres;
  readonly provider: SlowProvider;
  readonly tenant: Tenant;
  readonly service: ServeProcess;
  readonly calls: ServiceCalls;
  readonly follower: FeedFollower;
}

/**
 * Messages that the standby knows as waiting leave from the primary after the standby has been cut off. Then the
 * primary dies, and the standby is promoted: what it lacks has been answered, read by a follower and has left.
 */
async function promoteLossy(
  stack: AsyncDisposableStack,
  environment: Readonly<Record<string, string>> = {},
): Promise<Promoted> {
  const cluster = stack.use(await startCluster({ isSynchronous: false, applyDelayMs: 200 }));
  const provider = stack.use(startSlowProvider(() => 0));
  const tenant = await createTenant(cluster.admin(), { baseUrl: provider.baseUrl });
  await cluster.admin()`
    update messaging.workspaces set alert_email = 'ops@example.com' where id = ${tenant.workspaceId}`;
  const service = stack.use(await serveOn(cluster, environment));
  const calls = openCalls(`${service.origin}/functions/v1`);
  const follower = await followFeed(service, tenant);
  for (let number = 0; number < count; number++) {
    await send(calls, tenant, { message: `waits ${number}`, delayMessage: 20 });
  }
  await waitUntil(async () => await countMessages(cluster.urls.standby()) === count, {
    what: "the messages on the standby",
  });
  await cluster.disconnectStandby();
  await cluster.admin()`
    update messaging.message_queue set scheduled_at = now(), visible_at = now()`;
  await waitUntil(async () => await countMessages(cluster.urls.primary(), "sent") === count, {
    what: "the messages to leave",
  });
  await send(calls, tenant, { message: "lost" });
  await waitUntil(() => follower.events.length >= count + 1, { what: "events that will be lost" });
  await cluster.killPrimary();
  await cluster.promote();
  await waitUntil(() => isReady(service), { what: "a ready service" });
  return { cluster, provider, tenant, service, calls, follower };
}

async function send(
  calls: ServiceCalls,
  { instanceId, token }: Tenant,
  message: Readonly<Record<string, unknown>>,
): Promise<ServiceAnswer> {
  const body = { instanceId, phone: "5511987654321", messageType: "text", ...message };
  const answer = await calls.call("send-message", { headers: { "x-client-token": token }, body });
  assertEquals(answer.status, 200, JSON.stringify(answer.body));
  return answer;
}

async function countMessages(url: string, status: string | null = null): Promise<number> {
  const sql = postgres(url, { max: 1 });
  try {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::integer as count from messaging.messages
      where status = coalesce(${status}, status)`;
    return row?.count ?? 0;
  } finally {
    await sql.end();
  }
}

Deno.test("after a promotion that lost commits nothing leaves a second time: every queue is held, told and listed, and goes on when a person has decided", async () => {
  await using stack = new AsyncDisposableStack();
  const { cluster, provider, tenant, service, calls, follower } = await promoteLossy(stack);
  const admin = cluster.admin();
  assertEquals(provider.requests.length, count + 1);
  assertEquals(await countMessages(cluster.urls.primary(), "queued"), count);
  await admin`update messaging.message_queue set scheduled_at = now(), visible_at = now()`;
  await waitUntil(async () => {
    const [row] = await admin<{ held: number }[]>`
      select count(*)::integer as held from messaging.message_queue where visible_at = 'infinity'`;
    return row?.held === count;
  }, { what: "a claim that finds the messages held" });

  const [noted] = service.logged("database_promoted");
  assertEquals([noted?.["instances"], noted?.["timeline"]], [1, 2]);
  const health = await calls.call(`messages-api/health?instanceId=${tenant.instanceId}`, {
    headers: { "x-client-token": tenant.token },
  });
  assertEquals(
    [health.body.status, health.body.heldBy, health.body.holdReason, health.body.heldUntil],
    ["held", "operator_hold", "database_promoted", null],
  );
  const [mail] = await admin<{ reason: string }[]>`
    select payload->>'holdReason' as reason from messaging.outbox
    where kind = 'instance_held_email'`;
  assertEquals(mail?.reason, "database_promoted");

  await waitUntil(() => follower.expired === 1, { what: "an expired cursor" });
  await waitUntil(async () => {
    const told = await admin<{ id: string }[]>`
      select 'evt_' || replace(id::text, '-', '') as id from messaging.events
      where type = 'instance.held'`;
    return told.length === 1 && follower.events.at(-1)?.id === told[0]?.id;
  }, { what: "the hold in the feed" });

  const administer = (method: string, path: string, body?: Record<string, unknown>) =>
    calls.call(`admin-api/${path}`, {
      ...{ method, headers: { apikey: secretKey } },
      ...body === undefined ? {} : { body },
    });
  const holds = await administer("GET", "queue/holds");
  const since = holds.body.items[0].heldAt;
  const listed = await administer("GET", `queue/may-have-left?since=${since}`);
  assertEquals([listed.body.total, listed.body.acceptedSince], [count, 0]);
  const settled = await administer("POST", "queue/may-have-left/settle", {
    ...{ since, action: "unconfirmed" },
  });
  assertEquals([settled.body.unconfirmed, settled.body.remaining], [count, 0]);
  assertEquals((await administer("POST", "queue/release", {})).body.instances, 1);
  await send(calls, tenant, { message: "goes on", delayMessage: 0.1 });
  await waitUntil(() => provider.requests.at(-1)?.json["message"] === "goes on", {
    what: "a message that leaves after the release",
  });
  await follower.end();
  const times = Map.groupBy(provider.requests, ({ json }) => String(json["message"]));
  assert([...times.values()].every((requests) => requests.length === 1), "nothing left twice");
});

Deno.test("with PROMOTION=continue a promotion that lost commits is told in the log, and holds nothing", async () => {
  await using stack = new AsyncDisposableStack();
  const { cluster, provider, service, follower } = await promoteLossy(stack, {
    PROMOTION: "continue",
  });
  await cluster.admin()`
    update messaging.message_queue set scheduled_at = now(), visible_at = now()`;
  await waitUntil(() => provider.requests.length === 2 * count + 1, {
    what: "messages that leave once more",
  });
  const [noted] = service.logged("database_promoted");
  assertEquals(noted?.["instances"], 0);
  await follower.end();
  assertEquals(follower.expired, 1);
});
