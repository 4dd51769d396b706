import { setTimeout as delay } from "node:timers/promises";
import { assert, assertEquals, assertGreater } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { startSlowProvider } from "../support/doubles/slow_provider.ts";
import { printFigures } from "../support/faults/figures.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { checkBacklog, createBacklog, waitUntilSettled } from "../support/fixtures/backlog.ts";
import { createTenant, type Tenant } from "../support/fixtures/tenant.ts";
import { createSeededRandom } from "../support/seeded_random.ts";
import { callUntilAnswered } from "../support/stack/sender_calls.ts";
import { type ServeProcess, startServe } from "../support/stack/serve_process.ts";
import { waitUntil } from "../support/wait_until.ts";

const settings = readFaultSettings();
const { kills = 3, messages = 60, instances = 12 } = settings;
/** Between calls of the load: fewer than one process would serve, so that none waits for another. */
const callEveryMs = 50;
/** Most calls under way: a slow machine is not given more than it takes. Those of a killed process wait long. */
const mostUnderWay = 100;
/** Answered calls between two kills, so that each kill strikes under load. */
const callsBetween = 5;

Deno.test(`${kills} kills of the one of two processes that takes connections, under load, lose no message and send none twice`, async () => {
  const random = createSeededRandom(settings.seed);
  await using database = await createTestDatabase();
  await using provider = startSlowProvider(() => random.between(20, 300));
  const { baseUrl } = provider;
  const backlog = await createBacklog(database.admin, {
    ...{ instances, messages, intervalSeconds: 2, baseUrl },
  });
  await using direct = startSlowProvider(() => random.between(20, 300));
  const tenant = await createTenant(database.admin, { baseUrl: direct.baseUrl });
  await using service = await startServe({
    args: ["--processes", "2"],
    // A killed process's claims last for the provider time-out and 15 seconds.
    environment: { DATABASE_URL: database.url, PROVIDER_TIMEOUT_MS: "2000" },
  });
  await using load = startLoad(service, tenant);
  const killed = await killInTurn(service, load, random.between);
  const sent = await load.end();
  await waitUntilSettled(database.admin);

  const counts = await checkBacklog(database.admin, backlog, provider.requests);
  const received = Map.groupBy(direct.requests, ({ json }) => String(json["message"]));
  const [row] = await database.admin<{ count: number; keys: string[] }[]>`
    select count(*)::integer as count, array_agg(message) as keys from messaging.messages
    where instance_id = ${tenant.instanceId}`;
  printFigures("killed processes", { seed: random.seed, kills: killed, direct: sent, ...counts });
  assertEquals(row?.count, sent, "each call made one message");
  for (const key of row?.keys ?? []) assert((received.get(key)?.length ?? 0) <= 1, key);
  assertEquals(killed, kills);
  assertGreater(sent, kills * callsBetween);
  assertEquals(service.logged("process_died").length, kills);
});

interface Load extends AsyncDisposable {
  /** Calls that have been answered. */
  answered(): number;
  /** Starts no more calls. @returns how many were made, when all are answered. */
  end(): Promise<number>;
}

/** Calls at a steady pace, whatever becomes of the calls before: those of a killed process wait long. */
function startLoad(service: ServeProcess, tenant: Tenant): Load {
  const calls: Promise<void>[] = [];
  let answered = 0;
  const call = async (number: number): Promise<void> => {
    const key = `direct-${number}`;
    const phone = `55119${String(number).padStart(8, "0")}`;
    const url = `${service.origin}/functions/v1/send-message`;
    const body = { phone, messageType: "text", message: key };
    const { status } = await callUntilAnswered({ url }, tenant, key, body);
    // 504: the process died while the provider had it; it is not sent again by itself.
    assert([200, 504].includes(status), `${key}: ${status}`);
    answered += 1;
  };
  const timer = setInterval(() => {
    if (calls.length - answered < mostUnderWay) calls.push(call(calls.length));
  }, callEveryMs);
  const end = async (): Promise<number> => {
    clearInterval(timer);
    await Promise.all(calls);
    return calls.length;
  };
  return {
    answered: () => answered,
    end,
    [Symbol.asyncDispose]: async () => {
      await end().catch(() => {});
    },
  };
}

/** Kills the process that takes connections, when another one is ready to take its place, and so on. */
async function killInTurn(
  service: ServeProcess,
  load: Load,
  between: (from: number, to: number) => number,
): Promise<number> {
  let killed = 0;
  for (; killed < kills; killed++) {
    await waitUntil(() => hasBoth(service, killed), { timeoutMs: 120_000, what: "two processes" });
    const before = load.answered();
    await waitUntil(() => load.answered() >= before + callsBetween, {
      timeoutMs: 120_000,
      what: "answered calls",
    });
    await delay(between(0, 500));
    Deno.kill(Number(service.logged("port_opened").at(-1)?.["pid"]), "SIGKILL");
  }
  await waitUntil(() => hasBoth(service, kills), { timeoutMs: 120_000, what: "the last process" });
  return killed;
}

/** Whether one process takes connections, and another one is loaded, after so many kills. */
function hasBoth(service: ServeProcess, killed: number): boolean {
  return service.logged("service_started").length === killed + 2 &&
    service.logged("port_opened").length === killed + 1;
}
