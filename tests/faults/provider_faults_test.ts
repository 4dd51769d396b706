import type { Sql } from "postgres";
import { type ProviderKind, providerKinds } from "../../shared/model/provider_kind.ts";
import { assert, assertEquals, assertLess } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { startDispatchCron } from "../support/stack/dispatch_cron.ts";
import { printFigures } from "../support/faults/figures.ts";
import {
  type FaultWitness,
  type FaultyProvider,
  listProviderFaults,
  type ProviderFault,
  providerTimeoutMs,
  retryAfterSeconds,
} from "../support/doubles/faulty_providers.ts";
import { startFunctionProcess } from "../support/stack/function_process.ts";
import { acceptMessage, startHttpDouble } from "../support/doubles/http_double.ts";
import { enqueueText } from "../support/database/queue_calls.ts";
import { callSender, startSender } from "../support/stack/sender_calls.ts";
import { createTenant } from "../support/fixtures/tenant.ts";
import { waitUntil } from "../support/wait_until.ts";
import { findFreePort } from "../support/free_port.ts";

/** An instance whose provider fails, with two messages to send. */
interface FailingInstance {
  readonly fault: ProviderFault;
  readonly kind: ProviderKind;
  readonly provider: FaultyProvider;
  readonly instanceId: string;
}

const maxWaitMs = 120_000;

Deno.test("whatever a provider does, its message is sent once or unconfirmed, and the next message is sent", async () => {
  await using database = await createTestDatabase();
  await using cleanup = new AsyncDisposableStack();
  const witness: FaultWitness = { redirected: 0, endlessBytes: 0, brokenOff: 0 };
  const failing: FailingInstance[] = [];
  for (const fault of listProviderFaults(witness)) {
    for (const kind of providerKinds) {
      const provider = cleanup.use(await fault.start());
      const instanceId = await createQueue(database.admin, kind, provider.baseUrl);
      failing.push({ fault, kind, provider, instanceId });
    }
  }
  const dispatcher = cleanup.use(await startDispatcher(database.url));
  await using cron = startDispatchCron(dispatcher.url);
  await waitUntilNothingIsOpen(database.admin, failing.map(({ instanceId }) => instanceId));
  await cron.stop();

  const endings = new Map<string, string>();
  for (const { fault, kind, provider, instanceId } of failing) {
    const name = `${fault.name}, ${kind}`;
    const [first, second] = await readStatuses(database.admin, instanceId);
    const ending = fault.endings.find(({ status }) => status === first);
    assert(ending !== undefined, `${name}: ${first}`);
    assertEquals(second, "sent", name);
    const texts = Array.from({ length: ending.requests }, () => "first");
    assertEquals(provider.receivedTexts(), [...texts, "second"], name);
    endings.set(fault.name, ending.status);
  }
  assertEquals(witness.redirected, 0, "a redirect is not followed");
  const endless = 2 * providerKinds.length;
  await waitUntil(() => witness.brokenOff === endless, {
    timeoutMs: maxWaitMs,
    what: "every endless body to be broken off",
  });
  // The socket buffers are sent before the other side notices that nothing is read.
  assertLess(witness.endlessBytes, endless * 16 * 1024 * 1024);
  printFigures("faulty providers", {
    instances: failing.length,
    ...Object.fromEntries(endings),
    ...witness,
  });
});

Deno.test("a rejection is not retried before its Retry-After, and an unreachable provider gets the message once it is back", async () => {
  await using database = await createTestDatabase();
  await using busy = startHttpDouble((request) =>
    busy.requests.length > 1 ? acceptMessage(request) : new Response("{}", {
      status: 429,
      headers: { "retry-after": String(retryAfterSeconds) },
    })
  );
  const port = findFreePort();
  const away = await createQueue(database.admin, "zapi", `http://127.0.0.1:${port}`);
  const limited = await createQueue(database.admin, "zapi", busy.baseUrl);
  await using dispatcher = await startDispatcher(database.url);
  await using cron = startDispatchCron(dispatcher.url);
  await waitUntil(async () => await countAttempts(database.admin, away) > 0, {
    timeoutMs: maxWaitMs,
    what: "a first attempt",
  });
  await using back = startHttpDouble(acceptMessage, port);
  await waitUntilNothingIsOpen(database.admin, [away, limited]);
  await cron.stop();

  for (const instanceId of [away, limited]) {
    assertEquals(await readStatuses(database.admin, instanceId), ["sent", "sent"]);
  }
  assertEquals(back.requests.map(({ json }) => json["message"]), ["first", "second"]);
  const [refused, repeated] = busy.requests;
  assert(refused !== undefined && repeated !== undefined);
  const waitedMs = repeated.receivedAtMs - refused.receivedAtMs;
  assert(waitedMs >= retryAfterSeconds * 1_000 - 100, `tried again after ${waitedMs} ms`);
});

Deno.test("whatever a provider does, an immediate send is answered, and repeated only after a retryable rejection", async () => {
  await using database = await createTestDatabase();
  await using cleanup = new AsyncDisposableStack();
  const witness: FaultWitness = { redirected: 0, endlessBytes: 0, brokenOff: 0 };
  const sender = cleanup.use(await startSender(database.url, { providerTimeoutMs }));
  const body = { phone: "5511955000000", messageType: "text", message: "first" };
  await Promise.all(
    listProviderFaults(witness).map(async (fault) => {
      const provider = await fault.start();
      cleanup.use(provider);
      const tenant = await createTenant(database.admin, { baseUrl: provider.baseUrl });
      const answer = await callSender(sender, tenant, "first", body);
      assert(answer !== null && fault.answers.includes(answer.status), JSON.stringify(answer));
      const received = provider.receivedTexts().length;
      assert(received <= 1, fault.name);
      if (answer.status === 200) assertEquals(received, 1);
      const again = await callSender(sender, tenant, "first", body);
      // The same key attempts the same message again where the refusal may be retried.
      const isAttempted = answer.body.retryable === true;
      const expected = isAttempted ? [false, 200] : [true, answer.status];
      assertEquals([again?.isReplay, again?.status], expected, fault.name);
      const calls = received + (isAttempted ? 1 : 0);
      assertEquals(provider.receivedTexts().length, calls, fault.name);
      assertEquals((await readStatuses(database.admin, tenant.instanceId)).length, 1, fault.name);
    }),
  );
  assertEquals(witness.redirected, 0);
});

async function createQueue(admin: Sql, provider: ProviderKind, baseUrl: string): Promise<string> {
  const { instanceId } = await createTenant(admin, { provider, baseUrl });
  for (const message of ["first", "second"]) {
    await enqueueText(admin, instanceId, { message, intervalSeconds: 1 });
  }
  return instanceId;
}

function startDispatcher(databaseUrl: string): ReturnType<typeof startFunctionProcess> {
  const environment = { PROVIDER_TIMEOUT_MS: String(providerTimeoutMs) };
  return startFunctionProcess({ slug: "dispatch-queue", databaseUrl, environment });
}

async function waitUntilNothingIsOpen(admin: Sql, instanceIds: string[]): Promise<void> {
  await waitUntil(async () => {
    const open = await admin`
      select from messaging.messages
      where instance_id = any (${instanceIds}) and status in ('queued', 'sending')`;
    return open.length === 0;
  }, { timeoutMs: maxWaitMs, intervalMs: 100, what: "every message to be settled" });
}

/** The statuses of an instance's messages, in order. */
async function readStatuses(admin: Sql, instanceId: string): Promise<string[]> {
  const rows = await admin<{ status: string }[]>`
    select status from messaging.messages where instance_id = ${instanceId} order by message`;
  return rows.map(({ status }) => status);
}

async function countAttempts(admin: Sql, instanceId: string): Promise<number> {
  const [row] = await admin<{ attempts: number }[]>`
    select sum(attempts)::integer as attempts from messaging.messages
    where instance_id = ${instanceId}`;
  return row?.attempts ?? 0;
}
