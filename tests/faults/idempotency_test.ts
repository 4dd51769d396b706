import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "postgres";
import { assert, assertEquals, assertGreater } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { untilSessionsRest } from "../support/database/sessions.ts";
import { printFigures } from "../support/faults/figures.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { acceptMessage, type HttpDouble, startHttpDouble } from "../support/doubles/http_double.ts";
import { createSeededRandom } from "../support/seeded_random.ts";
import { callSender, type SenderAnswer, startSender } from "../support/stack/sender_calls.ts";
import { startSlowProvider } from "../support/doubles/slow_provider.ts";
import { createTenant, type Tenant } from "../support/fixtures/tenant.ts";
import { letTimePass } from "../support/database/time_travel.ts";
import { waitUntil } from "../support/wait_until.ts";

const settings = readFaultSettings();
const { concurrency = 100 } = settings;
const lives = settings.kills === undefined ? 5 : Math.ceil(settings.kills / 4);

/** Longer than a provider takes that answers, on a slow machine too. */
const providerTimeoutMs = 30_000;
/** Longer than the claims of a process last that was killed. */
const leaseSeconds = 60;

/** Every way a message may go. */
const deliveries = [{}, { queued: true, intervalSeconds: 10 }, { delayMessage: 60 }] as const;

/** A call that is repeated unchanged: its key and its body. */
interface Call {
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
}

Deno.test(`${concurrency} concurrent equal calls are one execution and one message, whatever its outcome`, async () => {
  await using database = await createTestDatabase();
  await using provider = startSlowProvider(() => 100);
  await using sender = await startSender(database.url, { providerTimeoutMs });
  const outcomes = { executed: 0, replayed: 0, inProgress: 0 };
  for (const [number, delivery] of deliveries.entries()) {
    const { baseUrl } = provider;
    const tenant = await createTenant(database.admin, { baseUrl });
    const { key, body } = createCall(number, delivery);
    const answers = await Promise.all(
      Array.from({ length: concurrency }, () => callSender(sender, tenant, key, body)),
    );
    const [executed, ...others] = answers.filter(isExecution);
    assert(executed !== undefined);
    assertEquals(others.length, 0, "executed once");
    for (const answer of answers) {
      if (answer?.status === 200) assertEquals(answer.body, executed.body);
      else assertEquals([answer?.status, answer?.body.error], [409, "idempotency_key_in_progress"]);
      if (answer?.isReplay === true) outcomes.replayed += 1;
      if (answer?.status === 409) outcomes.inProgress += 1;
    }
    outcomes.executed += 1;
    const late = await callSender(sender, tenant, key, body);
    assertEquals([late?.isReplay, late?.body], [true, executed.body]);
    assertEquals(await countMessages(database.admin, tenant), 1);
    assert(countReceipts(provider, body) <= 1);
  }
  printFigures("equal calls at once", { calls: concurrency * deliveries.length, ...outcomes });
});

Deno.test(`a repeated call whose process was killed (${lives} times) is answered, and sends no second message`, async () => {
  const random = createSeededRandom(settings.seed);
  await using database = await createTestDatabase();
  await using provider = startSlowProvider(() => random.between(20, 400));
  const { baseUrl } = provider;
  const counts = { calls: 0, unanswered: 0, accepted: 0, inDoubt: 0, inDoubtButReceived: 0 };
  for (let life = 0; life < lives; life++) {
    const tenant = await createTenant(database.admin, { baseUrl });
    const calls = Array.from(
      { length: 12 },
      (_, number) => createCall(life * 12 + number, deliveries[number % deliveries.length]),
    );
    // The first kill meets a message that the provider has, the others any moment.
    const moment = (): Promise<void> =>
      life === 0 ? provider.holdNext() : delay(random.between(0, 500));
    const firstAnswers = await callAndKill(database.url, tenant, calls, moment);
    provider.release();
    counts.calls += calls.length;
    counts.unanswered += firstAnswers.filter((answer) => answer === null).length;

    const answers = await repeatUntilAnswered(database.url, database.admin, tenant, calls);
    for (const [number, answer] of answers.entries()) {
      const first = firstAnswers[number];
      if (first?.status === 200) assertEquals(answer.body, first.body, "the first answer stands");
      const body = calls[number]?.body ?? {};
      const receipts = countReceipts(provider, body);
      if (answer.status === 200) counts.accepted += 1;
      else {
        assertEquals([answer.status, answer.body.error], [504, "provider_outcome_unknown"]);
        counts.inDoubt += 1;
        counts.inDoubtButReceived += receipts;
      }
      const isImmediate = answer.body.mode === "sent" && answer.status === 200;
      assert(isImmediate ? receipts === 1 : receipts <= 1, `${receipts} receipts`);
    }
    assertEquals(await countMessages(database.admin, tenant), calls.length, "one message a key");
  }
  printFigures("killed sender", { seed: random.seed, kills: lives, ...counts });
  assertGreater(counts.unanswered, 0, "some calls were cut off");
});

Deno.test(`a call that the provider rejects temporarily, whose process is killed (${lives} times), is repeated until it is answered, and accepted at most once`, async () => {
  const random = createSeededRandom(settings.seed);
  const accepted = new Map<unknown, number>();
  let isBusy = false;
  const counts = { calls: 0, refusals: 0, accepted: 0, inDoubt: 0, inDoubtButAccepted: 0 };
  await using database = await createTestDatabase();
  await using provider = startHttpDouble(async (request) => {
    await delay(random.between(20, 200));
    if (isBusy || random.between(0, 2) < 1) {
      counts.refusals += 1;
      return new Response("{}", { status: 429 });
    }
    const { message } = request.json;
    accepted.set(message, (accepted.get(message) ?? 0) + 1);
    return acceptMessage(request);
  });
  const { baseUrl } = provider;
  const tenant = await createTenant(database.admin, { baseUrl });
  const calls: Call[] = [];
  for (let life = 0; life < lives; life++) {
    const own = Array.from({ length: 8 }, (_, number) => createCall(life * 8 + number));
    calls.push(...own);
    await using sender = await startSender(database.url, { providerTimeoutMs });
    const callAll = (): Promise<(SenderAnswer | null)[]> =>
      Promise.all(own.map(({ key, body }) => callSender(sender, tenant, key, body)));
    isBusy = true;
    for (const refused of await callAll()) assertEquals(refused?.status, 502);
    isBusy = false;
    const answers = callAll();
    await delay(random.between(20, 400));
    await sender.kill();
    await answers;
  }
  // Their last statements may yet claim something.
  await untilSessionsRest(database.admin);
  await letTimePass(database.admin, leaseSeconds);
  await using sender = await startSender(database.url, { providerTimeoutMs });
  for (const { key, body } of calls) {
    const answer = await waitUntil(async () => {
      const heard = await callSender(sender, tenant, key, body);
      // 409 while the lease of a killed process runs.
      return heard !== null && ![409, 502].includes(heard.status) && heard;
    }, { timeoutMs: 60_000, what: `an answer to ${key}` });
    const times = accepted.get(body["message"]) ?? 0;
    counts.calls += 1;
    if (answer.status === 200) {
      counts.accepted += 1;
      assertEquals(times, 1, key);
    } else {
      assertEquals([answer.status, answer.body.error], [504, "provider_outcome_unknown"]);
      counts.inDoubt += 1;
      counts.inDoubtButAccepted += times;
      assert(times <= 1, key);
    }
  }
  assertEquals(await countMessages(database.admin, tenant), calls.length, "one message a key");
  printFigures("refused and killed", { seed: random.seed, kills: lives, ...counts });
});

function createCall(number: number, delivery: Readonly<Record<string, unknown>> = {}): Call {
  const phone = `5511955${String(number).padStart(6, "0")}`;
  const body = { phone, messageType: "text", message: `call ${number}`, ...delivery };
  return { key: `key-${number}`, body };
}

function isExecution(answer: SenderAnswer | null): answer is SenderAnswer {
  return answer?.status === 200 && !answer.isReplay;
}

/** Makes the calls, and kills the process at a random moment of the next half second. */
async function callAndKill(
  databaseUrl: string,
  tenant: Tenant,
  calls: readonly Call[],
  moment: () => Promise<void>,
): Promise<(SenderAnswer | null)[]> {
  await using sender = await startSender(databaseUrl, { providerTimeoutMs });
  const struck = moment();
  const answers = calls.map(({ key, body }) => callSender(sender, tenant, key, body));
  await struck;
  await sender.kill();
  return await Promise.all(answers);
}

/** Repeats a call that had no answer, and again later while the first one is in progress. */
async function repeatUntilAnswered(
  databaseUrl: string,
  admin: Sql,
  tenant: Tenant,
  calls: readonly Call[],
): Promise<SenderAnswer[]> {
  // The killed process's last statements may yet claim something.
  await untilSessionsRest(admin);
  await using sender = await startSender(databaseUrl, { providerTimeoutMs });
  const repeat = (): Promise<(SenderAnswer | null)[]> =>
    Promise.all(calls.map(({ key, body }) => callSender(sender, tenant, key, body)));
  for (const answer of await repeat()) {
    if (answer?.status === 409) assertEquals(answer.body.error, "idempotency_key_in_progress");
    else assert(answer !== null && [200, 504].includes(answer.status), JSON.stringify(answer));
  }
  await letTimePass(admin, leaseSeconds);
  return (await repeat()).map((answer) => {
    assert(answer !== null);
    return answer;
  });
}

function countReceipts({ requests }: HttpDouble, body: Readonly<Record<string, unknown>>): number {
  return requests.filter(({ json }) => json["message"] === body["message"]).length;
}

async function countMessages(admin: Sql, { instanceId }: Tenant): Promise<number> {
  const [row] = await admin<{ count: number }[]>`
    select count(*)::integer as count from messaging.messages where instance_id = ${instanceId}`;
  return row?.count ?? 0;
}
