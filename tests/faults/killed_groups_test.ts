import type { Sql } from "postgres";
import { assert, assertEquals, assertGreater } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { untilSessionsRest } from "../support/database/sessions.ts";
import { letTimePass } from "../support/database/time_travel.ts";
import { type SlowProvider, startSlowProvider } from "../support/doubles/slow_provider.ts";
import { printFigures } from "../support/faults/figures.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { createTenant, type Tenant } from "../support/fixtures/tenant.ts";
import { createSeededRandom } from "../support/seeded_random.ts";
import {
  callSender,
  callUntilAnswered,
  type SenderAnswer,
  startSender,
} from "../support/stack/sender_calls.ts";

const settings = readFaultSettings();
const { concurrency = 60, messages = 300, instances = 5 } = settings;
const lives = settings.kills === undefined ? 2 : Math.ceil(settings.kills / 10);

/** Fewer than the calls that a process makes of one host at once. */
const answersAtOnce = 10;

interface Call {
  readonly tenant: Tenant;
  readonly key: string;
  readonly text: string;
}

for (const usesDataApi of [false, true]) {
  Deno.test(`a process killed ${lives} times under ${concurrency} callers, whose calls go in groups ${usesDataApi ? "over the Data API" : "directly"}, sends nothing twice and answers truly`, async () => {
    const random = createSeededRandom(settings.seed);
    await using database = await createTestDatabase();
    await using provider = startSlowProvider(() => random.between(2, 60));
    const { baseUrl } = provider;
    const tenants = await Promise.all(
      Array.from({ length: instances }, () => createTenant(database.admin, { baseUrl })),
    );
    const counts = {
      calls: 0,
      unanswered: 0,
      sent: 0,
      inDoubt: 0,
      inDoubtButReceived: 0,
      groups: 0,
    };
    for (let life = 0; life < lives; life++) {
      const calls = Array.from({ length: messages }, (_, number): Call => ({
        tenant: tenants[number % instances] as Tenant,
        key: `life ${life} key ${number}`,
        text: `life ${life} call ${number}`,
      }));
      const share = random.between(0.4, 0.8);
      const answered = await callInStorm(
        { databaseUrl: database.url, usesDataApi },
        provider,
        calls,
        share,
      );
      counts.unanswered += calls.length - answered.size;
      counts.groups += await countGroups(database.admin, life);

      // Its last statements hold locks. Then longer than the leases of the killed process.
      await untilSessionsRest(database.admin);
      await letTimePass(database.admin, 60);
      await using sender = await startSender(database.url, { usesDataApi });
      const check = async (call: Call): Promise<void> => {
        const first = answered.get(call);
        const { status, body } = await repeat(sender, call);
        if (first?.status === 200) assertEquals(body, first.body, "the first answer stands");
        const times = provider.requests.filter(({ json }) => json["message"] === call.text).length;
        const row = await readMessage(database.admin, call);
        assertEquals(row.id, body.messageId);
        counts.calls += 1;
        if (status === 200) {
          counts.sent += 1;
          assertEquals([times, row.status], [1, "sent"], call.text);
        } else {
          assertEquals([status, body.error], [504, "provider_outcome_unknown"], call.text);
          assert(times <= 1, `${call.text} arrived ${times} times`);
          counts.inDoubt += 1;
          counts.inDoubtButReceived += times;
        }
      };
      // The tenants at once, each tenant's calls in turn: one after the other they took half a minute.
      await Promise.all(tenants.map(async (tenant) => {
        for (const call of calls) {
          if (call.tenant === tenant) await check(call);
        }
      }));
    }
    printFigures("killed groups", { seed: random.seed, kills: lives, ...counts });
    assertGreater(counts.unanswered, 0, "some calls were cut off");
    assertGreater(counts.groups, 0, "some transaction settled several messages");
  });
}

/** Makes the calls by concurrent callers, and kills the process after a share of the calls. */
async function callInStorm(
  { databaseUrl, usesDataApi }: { readonly databaseUrl: string; readonly usesDataApi: boolean },
  provider: SlowProvider,
  calls: readonly Call[],
  share: number,
): Promise<Map<Call, SenderAnswer>> {
  await using sender = await startSender(databaseUrl, { usesDataApi });
  const answered = new Map<Call, SenderAnswer>();
  const waiting = [...calls];
  const left = Math.floor(calls.length * (1 - share));
  const struck = Promise.withResolvers<void>();
  // Answers that come at once are settled in groups.
  provider.holdNextOnes(answersAtOnce).then(provider.release);
  const callers = Array.from({ length: concurrency }, async () => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      // The kill meets this call, at whatever pace the machine works.
      if (waiting.length === left) provider.holdNext().then(struck.resolve);
      const answer = await callSender(sender, call.tenant, call.key, bodyOf(call));
      if (answer === null) return;
      answered.set(call, answer);
    }
  });
  await struck.promise;
  await sender.kill();
  provider.release();
  await Promise.all(callers);
  return answered;
}

function repeat(
  sender: Awaited<ReturnType<typeof startSender>>,
  call: Call,
): Promise<SenderAnswer> {
  return callUntilAnswered(sender, call.tenant, call.key, bodyOf(call));
}

function bodyOf({ key, text }: Call): Readonly<Record<string, unknown>> {
  const number = key.replaceAll(/\D/g, "").padStart(8, "0");
  return { phone: `551${number}`.padEnd(12, "1"), messageType: "text", message: text };
}

async function readMessage(
  admin: Sql,
  { tenant, text }: Call,
): Promise<{ id: string; status: string }> {
  const rows = await admin<{ id: string; status: string }[]>`
    select id, status from messaging.messages
    where instance_id = ${tenant.instanceId} and message = ${text}`;
  const [row] = rows;
  assert(row !== undefined && rows.length === 1, `${text} is ${rows.length} messages`);
  return row;
}

/** Transactions that settled several messages: they wrote the rows last. */
async function countGroups(admin: Sql, life: number): Promise<number> {
  const rows = await admin`
    select from messaging.messages
    where status = 'sent' and message like ${`life ${life} %`}
    group by xmin::text having count(*) > 1`;
  return rows.length;
}
