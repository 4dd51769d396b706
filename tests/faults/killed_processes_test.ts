import { setTimeout as delay } from "node:timers/promises";
import { assert, assertEquals, assertGreater } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { startSlowProvider } from "../support/doubles/slow_provider.ts";
import { printFigures } from "../support/faults/figures.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { checkBacklog, createBacklog, waitUntilSettled } from "../support/fixtures/backlog.ts";
import { createTenant } from "../support/fixtures/tenant.ts";
import { createSeededRandom } from "../support/seeded_random.ts";
import { callUntilAnswered } from "../support/stack/sender_calls.ts";
import { type ServeProcess, startServe } from "../support/stack/serve_process.ts";
import { waitUntil } from "../support/wait_until.ts";

const settings = readFaultSettings();
const { kills = 3, messages = 60, instances = 12 } = settings;
const senders = 4;

Deno.test(`${kills} kills of one of two processes under load lose no message and send none twice`, async () => {
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
  let isOver = false;
  let sent = 0;
  const sending = Array.from({ length: senders }, async (_, sender) => {
    for (let number = 0; !isOver; number++) {
      const key = `direct-${sender}-${number}`;
      const { status } = await callUntilAnswered(
        { url: `${service.origin}/functions/v1/send-message` },
        tenant,
        key,
        {
          phone: `55119${sender}${String(number).padStart(7, "0")}`,
          messageType: "text",
          message: key,
        },
      );
      // 504: the process died while the provider had it; it is not sent again by itself.
      assert([200, 504].includes(status), `${key}: ${status}`);
      sent += 1;
    }
  });
  const killed = await killInTurn(service, random.between);
  isOver = true;
  await Promise.all(sending);
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
  assertGreater(sent, senders);
  assertEquals(service.logged("process_died").length, kills);
});

/** Kills the process that started last, waits for the one that replaces it, and so on. */
async function killInTurn(
  service: ServeProcess,
  between: (from: number, to: number) => number,
): Promise<number> {
  let killed = 0;
  for (; killed < kills; killed++) {
    await waitUntil(() => service.logged("service_started").length === killed + 2, {
      timeoutMs: 120_000,
      what: "two processes",
    });
    await delay(between(0, 1_500));
    Deno.kill(Number(service.logged("service_started").at(-1)?.["pid"]), "SIGKILL");
  }
  await waitUntil(() => service.logged("service_started").length === kills + 2, {
    timeoutMs: 120_000,
    what: "the last process",
  });
  return killed;
}
