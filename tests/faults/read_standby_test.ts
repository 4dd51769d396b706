import { setTimeout as delay } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import type { Database } from "../../shared/database/database.ts";
import { openDirectDatabase } from "../../shared/database/direct_database.ts";
import { listReads } from "../../shared/runtime/read_counters.ts";
import { assert, assertEquals, assertGreater } from "../support/assert.ts";
import type { ReplicatedPostgres } from "../support/database/replicated_postgres.ts";
import { surviveBrokenWrites } from "../support/faults/driver_faults.ts";
import { readProcessorSeconds } from "../support/faults/processor_seconds.ts";
import { serveOn, startCluster } from "../support/faults/promoted_service.ts";
import { type FeedFollower, followFeed } from "../support/faults/promotion_load.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { createTenant, type Tenant } from "../support/fixtures/tenant.ts";
import { secretKey } from "../support/stack/function_process.ts";
import { waitUntil } from "../support/wait_until.ts";

surviveBrokenWrites();

const { requests = 2_000, seconds = 5 } = readFaultSettings();

/** How the standby lags in turn: not, so little that a read waits for it, and so much that it is avoided. */
const lags = ["0", "20ms", "400ms"] as const;
/** Most without a lag: a read that overtook the question would be stale there once in 400 times. */
const shares = { "0": 0.7, "20ms": 0.15, "400ms": 0.15 } as const;

function open(stack: AsyncDisposableStack, url: string, readUrl: string | null): Database {
  const database = openDirectDatabase(url, { readUrl });
  stack.defer(() => database.close());
  return database;
}

/** A client that ends with the stack. */
function connect(stack: AsyncDisposableStack, url: string): Sql {
  const sql = postgres(url, { max: 2, onnotice: () => {} });
  stack.defer(() => sql.end({ timeout: 1 }));
  return sql;
}

async function setLag(standby: Sql, lag: string): Promise<void> {
  await standby.unsafe(`alter system set recovery_min_apply_delay = '${lag}'`);
  await standby`select pg_reload_conf()`;
}

/** Reads that each has answered since the last call. */
function createReadCount(): () => Record<string, number> {
  let before = new Map(listReads());
  return () => {
    const now = new Map(listReads());
    const counts = [...now].map(([answer, count]) => [answer, count - (before.get(answer) ?? 0)]);
    before = now;
    return Object.fromEntries(counts);
  };
}

async function saveName(database: Database, tenant: Tenant, name: string): Promise<void> {
  await database.rpc("save_contact", {
    ...{ instanceId: tenant.instanceId, phone: "5511987654321", idempotency: null },
    fields: { name },
  });
}

async function readName(database: Database, { instanceId }: Tenant): Promise<string | null> {
  const page = await database.rpc("list_contacts", { instanceId, limit: 10, after: null });
  const [contact] = page.items;
  return contact !== undefined && "name" in contact ? contact.name : null;
}

async function readFeed(
  database: Database,
  { instanceId }: Tenant,
  after = "oldest",
): Promise<{ readonly names: readonly unknown[]; readonly cursor: string }> {
  const page = await database.rpc("read_events", { instanceId, after, types: null, limit: 100 });
  assert(page.state === "ok", page.state);
  return { names: page.items.map(({ data }) => data["name"]), cursor: page.nextCursor };
}

async function recordEvent(sql: Sql, { instanceId }: Tenant, name: string): Promise<void> {
  await sql`
    select messaging.record_event(
      ${instanceId}, null, 'instance.connected', jsonb_build_object('name', ${name}::text)
    )`;
}

async function startPair(stack: AsyncDisposableStack): Promise<{
  readonly cluster: ReplicatedPostgres;
  readonly tenant: Tenant;
  readonly standby: Sql;
  readonly writer: Database;
  readonly reader: Database;
}> {
  const cluster = stack.use(await startCluster({ isSynchronous: false }));
  const tenant = await createTenant(cluster.admin());
  const writer = open(stack, cluster.urls.primary(), null);
  const reader = open(stack, cluster.urls.primary(), cluster.urls.standby());
  // The first reading of a feed makes what the standby cannot.
  await readFeed(writer, tenant);
  return { cluster, tenant, standby: connect(stack, cluster.urls.standby()), writer, reader };
}

Deno.test("who has written by one process reads it by another one, however far the standby lags", async () => {
  await using stack = new AsyncDisposableStack();
  const { tenant, standby, writer, reader } = await startPair(stack);
  const countReads = createReadCount();
  const counts: Record<string, number>[] = [];
  let stale = 0;
  for (const lag of lags) {
    await setLag(standby, lag);
    for (let number = 0; number < requests * shares[lag]; number++) {
      const name = `${lag} ${number}`;
      await saveName(writer, tenant, name);
      if (await readName(reader, tenant) !== name) stale += 1;
    }
    counts.push(countReads());
  }
  // deno-lint-ignore no-console -- the figures are the result of the run
  console.log("reads", requests, "stale", stale, JSON.stringify(counts));
  assertEquals(stale, 0);
  const [none, little, much] = counts;
  assertGreater(none?.["standby"] ?? 0, requests * shares["0"] / 2);
  assertGreater(little?.["standby"] ?? 0, 0);
  assertGreater((much?.["behind"] ?? 0) + (much?.["avoided"] ?? 0), 0);
});

Deno.test("the feed of a standby gives each event once and in order, also those that commit later than higher numbers", async () => {
  await using stack = new AsyncDisposableStack();
  const { cluster, tenant, reader } = await startPair(stack);
  const countReads = createReadCount();
  const { cursor } = await readFeed(reader, tenant);
  const session = await cluster.admin().reserve();
  await session`begin`;
  await recordEvent(session, tenant, "low");
  await recordEvent(cluster.admin(), tenant, "high");
  const between = await readFeed(reader, tenant, cursor);
  assertEquals(between.names, []);
  await session`commit`;
  session.release();
  const after = await readFeed(reader, tenant, between.cursor);
  assertEquals(after.names, ["low", "high"]);
  assertEquals((await readFeed(reader, tenant, after.cursor)).names, []);
  assertEquals(countReads()["standby"], 4);
});

Deno.test("a standby that is cut off, gone, another cluster or the primary itself is not read, and one that is back is", async () => {
  await using stack = new AsyncDisposableStack();
  const { cluster, tenant, writer, reader } = await startPair(stack);
  const countReads = createReadCount();
  await saveName(writer, tenant, "0");
  assertEquals(await readName(reader, tenant), "0");
  assertEquals(countReads()["standby"], 1);

  await cluster.disconnectStandby();
  await saveName(writer, tenant, "1");
  assertEquals(await readName(reader, tenant), "1");
  assertEquals(countReads()["behind"], 1);
  await cluster.reconnectStandby();
  await waitUntil(async () => {
    assertEquals(await readName(reader, tenant), "1");
    return (countReads()["standby"] ?? 0) > 0;
  }, { what: "a standby that is read again" });

  const itself = open(stack, cluster.urls.primary(), cluster.urls.primary());
  assertEquals(await readName(itself, tenant), "1");
  assertEquals(countReads()["behind"], 1);

  await cluster.stopFormer();
  assertEquals(await readName(reader, tenant), "1");
  assertEquals(countReads()["lost"], 1);
});

Deno.test("a standby that follows another timeline than the primary is not read, although its log is further on", async () => {
  await using stack = new AsyncDisposableStack();
  const { cluster, tenant, standby, writer, reader } = await startPair(stack);
  await saveName(writer, tenant, "before");
  assertEquals(await readName(reader, tenant), "before");
  const [position] = await standby<{ server: string; lsn: string }[]>`
    select messaging.server_mark(s) as server, '0/1' as lsn from messaging.noted_server() as s`;
  const replayed = async (server: string | undefined): Promise<unknown> => {
    const request = JSON.stringify({ ...position, server });
    const [row] = await standby`select public.has_replayed(${request}::text::jsonb) as result`;
    return row?.["result"];
  };
  assertEquals(await replayed(position?.server), true);
  // As a promoted server notes itself, whose row never reaches a standby of the former one.
  await cluster.disconnectStandby();
  await cluster.admin()`
    insert into messaging.database_servers (system_identifier, timeline, is_synchronous)
    select system_identifier, timeline + 1, false from messaging.database_servers`;
  const [promoted] = await cluster.admin()<{ server: string }[]>`
    select messaging.server_mark(s) as server from messaging.noted_server() as s`;
  assertEquals(await replayed(promoted?.server), false);
});

/** Ten tenants with ten readers each, as many as a token may have. */
const tenantsOfFollowers = 10;
const followersOfTenant = 10;

interface Followed {
  /** Of the two functions that a look needs there. */
  readonly calls: number;
  readonly processorSeconds: number;
}

/** Follows by a service while another process records events. @returns what it cost the primary. */
async function followBy(
  cluster: ReplicatedPostgres,
  tenants: readonly Tenant[],
  environment: Readonly<Record<string, string>>,
  followersEach = followersOfTenant,
): Promise<Followed> {
  await using service = await serveOn(cluster, environment);
  const followers: FeedFollower[] = await Promise.all(
    tenants.flatMap((tenant) =>
      Array.from({ length: followersEach }, () => followFeed(service, tenant, 5))
    ),
  );
  const primary = cluster.admin();
  const readCalls = async (): Promise<number> => {
    await primary`select pg_stat_force_next_flush()`;
    const [row] = await primary<{ calls: number }[]>`
      select coalesce(sum(calls), 0)::integer as calls from pg_stat_user_functions
      where funcname in ('read_events', 'read_position')`;
    return row?.calls ?? 0;
  };
  const [callsBefore, secondsBefore] = [await readCalls(), await readProcessorSeconds(primary)];
  const endsAt = performance.now() + seconds * 1_000;
  let recorded = 0;
  while (performance.now() < endsAt) {
    const tenant = tenants[recorded % tenants.length];
    if (tenant !== undefined) await recordEvent(primary, tenant, `${recorded}`);
    recorded += 1;
    await delay(100);
  }
  const secondsAfter = await readProcessorSeconds(primary);
  // Sessions tell their counts when they have been idle for a second.
  await delay(1_500);
  const calls = await readCalls() - callsBefore;
  await Promise.all(followers.map((follower) => follower.end()));
  const events = followers.reduce((sum, follower) => sum + follower.events.length, 0);
  assertEquals(events, recorded * followersEach);
  return { calls, processorSeconds: secondsAfter - secondsBefore };
}

Deno.test("a hundred followers of feeds cost the primary less where a standby is read", async () => {
  await using cluster = await startCluster({ isSynchronous: false });
  const admin = cluster.admin();
  await admin`alter system set track_functions = 'all'`;
  await admin`select pg_reload_conf()`;
  const tenants: Tenant[] = [];
  for (let number = 0; number < tenantsOfFollowers; number++) {
    tenants.push(await createTenant(admin));
  }
  const idle = await followBy(cluster, tenants, {}, 0);
  const alone = await followBy(cluster, tenants, {});
  const readUrl = { DATABASE_READ_URL: cluster.urls.standby() };
  const beside = await followBy(cluster, tenants, readUrl);
  // deno-lint-ignore no-console -- the figures are the result of the run
  console.log("primary", JSON.stringify({ idle, alone, beside }));
  // How often they look, and how far a standby is, depends on what else the machine does: the figures of
  // docs/availability.md are those of a quiet one.
  if (readFaultSettings().requests === undefined) {
    assertGreater(alone.calls, beside.calls);
    return;
  }
  assertGreater(alone.calls / 5, beside.calls);
  // The dispatcher and the writer cost the same, without followers too.
  const ofFollowers = ({ processorSeconds }: Followed): number =>
    processorSeconds - idle.processorSeconds;
  assertGreater(ofFollowers(alone) / 5, ofFollowers(beside));
});

Deno.test("a service tells by its metrics who has answered its reads", async () => {
  await using cluster = await startCluster({ isSynchronous: false });
  const tenant = await createTenant(cluster.admin());
  await using service = await serveOn(cluster, { DATABASE_READ_URL: cluster.urls.standby() });
  const origin = `${service.origin}/functions/v1`;
  const readContacts = async (): Promise<number> => {
    const response = await fetch(
      `${origin}/contacts-api/contacts?instanceId=${tenant.instanceId}`,
      { headers: { "x-client-token": tenant.token } },
    );
    await response.body?.cancel();
    return response.status;
  };
  await waitUntil(async () => {
    assertEquals(await readContacts(), 200);
    const response = await fetch(`${origin}/metrics`, {
      headers: { apikey: secretKey },
    });
    const text = await response.text();
    return /^messaging_process_reads_total\{answer="standby",process="[0-9a-f]+"\} [1-9]/m.test(
      text,
    );
  }, { what: "a read that the standby has answered" });
});
