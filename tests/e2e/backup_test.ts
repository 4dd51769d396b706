/** Dumps a database while messages are being sent, and restores it as docs/backup.md says. */

import { fileURLToPath } from "node:url";
import { createCredentialVault } from "../../shared/crypto/credential_vault.ts";
import { planUpgrade } from "../../supabase/deploy/upgrade_plan.ts";
import { type AppliedMigration, readMigrations } from "../../supabase/host/migration_files.ts";
import { applyMigrations } from "../../supabase/host/migrations.ts";
import { compareCatalogues, readCatalogue } from "../../supabase/tools/migrations/catalogue.ts";
import { assert, assertEquals } from "../support/assert.ts";
import type { TestDatabase } from "../support/database/database.ts";
import { startDebianPostgres } from "../support/database/debian_postgres.ts";
import {
  createProjectDatabase,
  findVersionWithDump,
  runDocumentedCommands,
} from "../support/database/dumped_database.ts";
import { acceptMessage } from "../support/doubles/http_double.ts";
import { delayNextSlot } from "../support/fixtures/queue_slots.ts";
import { alwaysOpen, type Tenant } from "../support/fixtures/tenant.ts";
import { administer } from "../support/stack/admin_calls.ts";
import { type MessagingStack, startMessagingStack } from "../support/stack/messaging_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

const migrations = fileURLToPath(new URL("../../migrations", import.meta.url));
const version = await findVersionWithDump();
const missing = version === null
  ? " (skipped: postgresql-<version> and its client are not installed)"
  : "";
const tenantCount = 12;
const delayedPerTenant = 12;
const pacedPerTenant = 6;
/** How many may leave until the dump is there, however long it takes: the others leave after it. */
const beforeDump = 120;

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

Deno.test({
  name:
    `a database dumped while messages leave is restored, and after hold, list, settle and release none has left twice and none is lost${missing}`,
  ignore: version === null,
  async fn(): Promise<void> {
    await using server = await startDebianPostgres(version ?? "", "");
    await using folder = await makeFolder();
    await using sourceDatabase = await createProjectDatabase(server, "source");
    await applyMigrations(sourceDatabase.admin, migrations);
    await using source = await startMessagingStack({ testDatabase: sourceDatabase });
    const { provider } = source;
    provider.answer = async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 40));
      return await acceptMessage(request);
    };
    const tenants = await queueMessages(source);
    const keyed = { "Idempotency-Key": "order-1" };
    const [first] = tenants;
    assert(first !== undefined);
    await send(source, first, "keyed", {}, keyed);

    // The old project sends, is dumped meanwhile, sends on, and is stopped.
    const dumped = Promise.withResolvers<void>();
    const sender = startSending(
      source,
      () => provider.requests.length < beforeDump ? Promise.resolve() : dumped.promise,
    );
    await waitUntil(() => provider.requests.length > 30);
    await runDocumentedCommands("dump", version ?? "", folder.path, {
      SOURCE_URL: sourceDatabase.url,
    });
    // Not the file that the commands write: it is of whole seconds, and the test takes less.
    const [{ since } = { since: "" }] = await sourceDatabase.admin<{ since: string }[]>`
      select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as since`;
    const sentAtDump = provider.requests.length;
    dumped.resolve();
    await waitUntil(() => provider.requests.length > sentAtDump + 30);
    await sender.stop();
    const until = new Date().toISOString();
    const leftInTime = countTexts(provider.requests);

    await using restoredDatabase = await createProjectDatabase(server, "restored");
    await runDocumentedCommands("restore", version ?? "", folder.path, {
      TARGET_URL: restoredDatabase.url,
    });
    await assertSameRelease(sourceDatabase, restoredDatabase);
    assert(
      await readLastEventNumber(restoredDatabase) > await readLastEventNumber(sourceDatabase),
      "no event of the restored database gets the number of an event that was told already",
    );
    await using restored = await startMessagingStack({ testDatabase: restoredDatabase });
    await assertKeysAreNeeded(restored, tenants);

    // Held: nothing leaves, whatever calls the dispatcher.
    const holds = await administer(restored, "GET", "/queue/holds");
    assertEquals(holds.body.items.length, tenants.length);
    await makeClaimsOld(restoredDatabase);
    await restored.dispatch({ durationMs: 500 });
    assertEquals(countTexts(provider.requests), leftInTime);

    // Listed: all that the old project sent after the dump.
    const range = { since, until };
    const query = new URLSearchParams({ ...range, limit: "1000" });
    const listed = await administer(restored, "GET", `/queue/may-have-left?${query}`);
    assertEquals([listed.status, listed.body.acceptedSince], [200, 0]);
    const named = new Set<string>(listed.body.items.map((item: Body) => item.messageId));
    assertEquals(named.size, listed.body.total);
    const texts = await readTexts(restoredDatabase);
    const overlooked = texts.filter(({ id, text, status }) =>
      leftInTime.has(text) && !["sent", "delivered", "read"].includes(status) && !named.has(id)
    );
    assertEquals(overlooked, []);
    const leftAfterDump = texts.filter(({ id, text }) => named.has(id) && leftInTime.has(text));
    assert(leftAfterDump.length >= 30, `${leftAfterDump.length} left after the dump`);

    // Settled: in doubt, so not sent again. What was not due yet waits.
    await settleAll(restored, range);
    const again = await administer(restored, "GET", `/queue/may-have-left?${query}`);
    assertEquals([again.body.total, again.body.instances], [0, []]);
    const inDoubt = await readTexts(restoredDatabase);
    for (const { id, status } of inDoubt) {
      if (named.has(id)) assertEquals(status, "unconfirmed");
    }

    // Released: what nobody can have sent leaves, once.
    await administer(restored, "POST", "/queue/release", { body: {} });
    await makeDue(restoredDatabase, "future");
    await waitUntil(async () => {
      await restored.dispatch({ durationMs: 300 });
      const [row] = await restoredDatabase.admin`select count(*)::int from messaging.message_queue`;
      return row?.["count"] === 0;
    }, { timeoutMs: 180_000, what: "an empty queue" });
    const repeated = await send(restored, first, "keyed", {}, keyed);
    assertEquals(repeated.headers.get("Idempotent-Replayed"), "true");
    const received = countTexts(provider.requests);
    assertEquals([...received].filter(([, times]) => times > 1), [], "twice");
    const lost = inDoubt.filter(({ id, text }) => !received.has(text) && !named.has(id));
    assertEquals(lost, [], "lost");
    assertEquals(inDoubt.filter(({ text }) => text.startsWith("future")).length, tenantCount);
  },
});

/** How a paced message is queued. */
const paced = { queued: true, intervalSeconds: 10 };

/** A sender whose messages are unique texts: delayed, paced, and some that are not due for an hour. */
async function queueMessages(stack: MessagingStack): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  for (let index = 0; index < tenantCount; index++) {
    const tenant = await stack.createTenant({ window: alwaysOpen });
    tenants.push(tenant);
    const texts = [
      ...Array.from({ length: delayedPerTenant }, (_, place) => `delayed-${index}-${place}`),
      ...Array.from({ length: pacedPerTenant }, (_, place) => `paced-${index}-${place}`),
      `future-${index}`,
    ];
    await delayNextSlot(stack.admin, tenant.instanceId, 7_200, 10);
    await Promise.all(
      texts.map((text) =>
        send(stack, tenant, text, text.startsWith("paced") ? paced : { delayMessage: 7_200 })
      ),
    );
  }
  // One more, to show what happens without the keys.
  const last = await stack.createTenant({ window: alwaysOpen });
  await delayNextSlot(stack.admin, last.instanceId, 7_200, 10);
  await send(stack, last, "sealed", paced);
  tenants.push(last);
  await makeDue(stack.testDatabase, "delayed");
  await makeDue(stack.testDatabase, "paced");
  return tenants;
}

async function send(
  stack: MessagingStack,
  tenant: Tenant,
  text: string,
  how: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly headers: Headers; readonly body: Body }> {
  const body = { phone: "5511987654321", messageType: "text", message: `<${text}>`, ...how };
  const answer = await stack.send(tenant, body, headers);
  assertEquals(answer.status, 200, JSON.stringify(answer.body));
  return answer;
}

/** Lets the time of the messages come whose text begins so, without an interval between them. */
async function makeDue({ admin }: TestDatabase, prefix: string): Promise<void> {
  await admin`
    update messaging.message_queue q
    set scheduled_at = clock_timestamp(), interval_seconds = 0,
      visible_at = case when q.visible_at is not null then clock_timestamp() end
    from messaging.messages m
    where m.id = q.message_id and m.message like ${`<${prefix}%`}`;
  await admin`update messaging.dispatch set paced_from = '-infinity'`;
  await admin`select messaging.refresh_dispatch(array(select instance_id from messaging.dispatch))`;
}

/** Lets the leases end that the old project's processes held, as hours would. */
async function makeClaimsOld({ admin }: TestDatabase): Promise<void> {
  await admin`
    update messaging.message_queue
    set lease_until = clock_timestamp(),
      visible_at = case when visible_at is not null then clock_timestamp() end
    where claim_token is not null`;
  await admin`
    update messaging.dispatch set lease_until = clock_timestamp() where in_flight is not null`;
}

/** Dispatches a few messages at a time, each time when it may, until it is stopped. */
function startSending(
  stack: MessagingStack,
  untilMay: () => Promise<void>,
): { stop(): Promise<void> } {
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      await untilMay();
      await stack.dispatchOnce({ durationMs: 100, maxMessages: 6 });
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}

/** How often the provider received each text. */
function countTexts(
  requests: readonly { readonly json: Readonly<Record<string, unknown>> }[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { json } of requests) {
    const [, text] = /<([\w-]+)>/.exec(JSON.stringify(json)) ?? [];
    if (text !== undefined) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

interface StoredText {
  readonly id: string;
  readonly text: string;
  readonly status: string;
}

async function readTexts({ admin }: TestDatabase): Promise<StoredText[]> {
  return await admin<StoredText[]>`
    select id, trim(both '<>' from message) as text, status from messaging.messages
    where direction = 'outbound' and message ~ '^<(delayed|paced|future|keyed)'`;
}

async function readLastEventNumber({ admin }: TestDatabase): Promise<bigint> {
  const [row] = await admin<{ last: string }[]>`
    select last_value::text as last from messaging.event_sequence`;
  return BigInt(row?.last ?? 0);
}

/** The local stack and a deployment accept the database, and it has the source's objects and grants. */
async function assertSameRelease(source: TestDatabase, restored: TestDatabase): Promise<void> {
  assertEquals(await applyMigrations(restored.admin, migrations), []);
  const applied = await restored.admin<AppliedMigration[]>`
    select version, statements from supabase_migrations.schema_migrations`;
  assertEquals(planUpgrade(applied, await readMigrations(migrations)), {
    expand: [],
    contract: [],
  });
  const differences = compareCatalogues(
    await readCatalogue(source.admin),
    await readCatalogue(restored.admin),
  );
  // Postgres writes `a between b and c` with other parentheses once it has read it back.
  const plain = (object: object | null | undefined): string =>
    JSON.stringify(object ?? null).replaceAll(/[()]/g, "");
  assertEquals(differences.filter(({ before, after }) => plain(before) !== plain(after)), []);
}

/** Without the key nothing is sent, in a sentence, and the instances are named. */
async function assertKeysAreNeeded(
  { testDatabase }: MessagingStack,
  tenants: readonly Tenant[],
): Promise<void> {
  const vault = createCredentialVault(btoa("x".repeat(32)));
  await using stack = await startMessagingStack({ testDatabase, vault });
  const idle = tenants.at(-1);
  assert(idle !== undefined);
  const { instanceId } = idle;
  await administer(stack, "POST", "/queue/release", { body: { instanceId } });
  await makeDue(testDatabase, "sealed");
  await stack.dispatch({ durationMs: 300 });
  const [sealed] = await testDatabase.admin`
    select id from messaging.messages where instance_id = ${instanceId}`;
  const path = `/messages/${sealed?.["id"]}?instanceId=${instanceId}`;
  const { body: message } = await stack.messages(idle, "GET", path);
  assertEquals([message.status, message.lastError.message], [
    "queued",
    "The message could not be prepared: the instance's credentials cannot be decrypted.",
  ]);
  await stack.messages(idle, "DELETE", path);
  await administer(stack, "POST", "/queue/hold", { body: { instanceId } });
  const { body } = await administer(stack, "POST", "/credentials/reseal", { vault });
  assertEquals(body.unreadable.toSorted(), tenants.map(({ instanceId }) => instanceId).toSorted());
}

async function settleAll(
  stack: MessagingStack,
  range: { readonly since: string; readonly until: string },
): Promise<void> {
  while (true) {
    const { status, body } = await administer(stack, "POST", "/queue/may-have-left/settle", {
      body: { ...range, action: "unconfirmed" },
    });
    assertEquals(status, 200, JSON.stringify(body));
    if (body.remaining === 0) return;
    assert(body.unconfirmed > 0, JSON.stringify(body));
  }
}

async function makeFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "messaging-backup-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
