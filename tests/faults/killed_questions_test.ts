/** A question whose process or database session ends at any step has one end, told at least once. */

import { assertEquals } from "../support/assert.ts";
import { isWaiting, untilSessionsRest } from "../support/database/sessions.ts";
import { type HttpDouble, startHttpDouble } from "../support/doubles/http_double.ts";
import { moveBack } from "../support/database/question_time.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import {
  leaseSeconds,
  type ModelTenant,
  type ServiceWorld,
  startWorld,
} from "../support/model/service_world.ts";
import { waitUntil } from "../support/wait_until.ts";

type Json = Readonly<Record<string, unknown>>;
type Strike = "the process is killed" | "its session is ended";

const { kills } = readFaultSettings();
const strikes: readonly Strike[] = ["the process is killed", "its session is ended"];
const phones = ["5511987654321", "5521912345678"];
/** What createTenant configures. */
const webhookSecret = "hook-secret-value";

/** One question of one tenant, and what its caller and its contact do. */
interface Asking {
  readonly world: ServiceWorld;
  readonly receiver: HttpDouble;
  readonly tenant: ModelTenant;
  readonly key: string;
  ask(): Promise<unknown>;
  answer(): Promise<unknown>;
  /** So many seconds pass for the question alone. */
  age(seconds: number): Promise<void>;
}

/** A step: the table whose rows it writes, and who does it. */
interface Step {
  readonly name: string;
  readonly table: "questions" | "outbox" | "messages";
  readonly act: (asking: Asking) => Promise<unknown>;
}

const isAsked: Step = {
  ...{ name: "it is asked", table: "questions" },
  act: (asking) => asking.ask(),
};
const isAnswered: Step = {
  ...{ name: "its answer is recorded", table: "outbox" },
  act: (asking) => asking.answer(),
};
const isReminded: Step = {
  ...{ name: "its reminder is placed", table: "messages" },
  act: async (asking) => {
    await asking.age(700);
    await asking.world.beginDispatch();
  },
};
const hasExpired: Step = {
  ...{ name: "it expires", table: "outbox" },
  act: async (asking) => {
    await asking.age(3_700);
    await asking.world.beginDispatch();
  },
};
const isTold: Step = {
  ...{ name: "its end is told and not yet settled", table: "outbox" },
  act: (asking) => asking.world.beginDispatch(),
};

/** The steps of two lives, in their order. */
const answeredLife = [isAsked, isReminded, isAnswered, isTold];
const expiredLife = [isAsked, hasExpired, isTold];

Deno.test("whatever step of a question is cut off, it has one end, told with one id, and one reminder at most", async () => {
  await using receiver = startHttpDouble(() => new Response(null, { status: 200 }));
  await using world = await startWorld(() => 0, { ALLOW_PRIVATE_HOSTS: "true" });
  for (const strike of strikes) {
    for (const life of [answeredLife, expiredLife]) {
      // A killed process takes seconds to start anew: `--kills 1` kills it at every step, as a session ends at each.
      const isWhole = strike === "its session is ended" || kills !== undefined;
      const cut = isWhole ? life : life.slice(-2);
      await live(world, receiver, life, cut, strike);
    }
  }
});

async function live(
  world: ServiceWorld,
  receiver: HttpDouble,
  life: readonly Step[],
  cut: readonly Step[],
  strike: Strike,
): Promise<void> {
  const asking = await beginAsking(world, receiver);
  const what = `${life === answeredLife ? "answered" : "expired"}, ${strike}`;
  // From the start: a run that ends the question may tell it too.
  const telling = keepTelling(receiver);
  for (const step of life) {
    if (!cut.includes(step)) await step.act(asking);
    else if (step === isTold) await cutOffTelling(asking, telling, strike);
    else await cutOff(asking, step, strike);
    // As who gets no answer does: the same call again.
    if (step !== isTold) await step.act(asking);
    if (step === isAsked) await untilLeft(asking);
  }
  await untilTold(asking);
  // A session that ends meanwhile is replaced: the service settles by another one.
  await check(asking, life, what, strike === "the process is killed");
}

/** What a killed process had claimed is in doubt when its claim is over; it may have left, so its question opens. */
async function untilLeft({ world, tenant }: Asking): Promise<void> {
  await world.dispatch();
  if (await isState(world, tenant, ["open"])) return;
  await world.skip(leaseSeconds);
  await waitUntil(async () => {
    await world.dispatch();
    return await isState(world, tenant, ["open"]);
  }, { what: "the question to open" });
}

/** Strikes while the step's statement waits for a table. */
async function cutOff(asking: Asking, step: Step, strike: Strike): Promise<void> {
  const { world } = asking;
  const released = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holding = world.admin.begin(async (sql) => {
    await sql.unsafe(`lock table messaging.${step.table} in share mode`);
    held.resolve();
    await released.promise;
  });
  await Promise.race([held.promise, holding]);
  const acting = step.act(asking).catch(() => null);
  try {
    await waitUntil(() => isWaiting(world.admin), { what: `${step.name}: a statement that waits` });
    await hit(world, strike, () => {
      released.resolve();
      return holding;
    });
  } finally {
    released.resolve();
    await holding;
  }
  await acting;
}

async function hit(
  world: ServiceWorld,
  strike: Strike,
  release: () => Promise<unknown>,
): Promise<void> {
  if (strike === "its session is ended") {
    await world.admin`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await release();
    return await untilSessionsRest(world.admin);
  }
  const restarting = world.killAndRestart();
  // Postgres finishes what the dead process has begun, when the table is free.
  await release();
  await restarting;
}

/** The first call that tells an end, which the receiver keeps unanswered. */
interface Telling {
  readonly hasArrived: () => boolean;
  answer(): void;
}

/** Keeps the next call of the receiver, whichever run of a dispatcher makes it. */
function keepTelling(receiver: HttpDouble): Telling {
  const answered = Promise.withResolvers<void>();
  let hasArrived = false;
  receiver.answer = async () => {
    receiver.answer = () => new Response(null, { status: 200 });
    hasArrived = true;
    await answered.promise;
    return new Response(null, { status: 200 });
  };
  return { hasArrived: () => hasArrived, answer: answered.resolve };
}

/** Strikes when the receiver has the end, and the service does not know it yet. */
async function cutOffTelling(
  { world }: Asking,
  telling: Telling,
  strike: Strike,
): Promise<void> {
  const run = world.beginDispatch().catch(() => null);
  await waitUntil(telling.hasArrived, { what: "the end to be told" });
  if (strike === "the process is killed") await world.killAndRestart();
  else {
    await world.admin`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend' and usename <> current_user`;
  }
  telling.answer();
  await run;
}

let asked = 0;

async function beginAsking(world: ServiceWorld, receiver: HttpDouble): Promise<Asking> {
  const tenant = await world.createTenant();
  const number = asked++;
  const key = `question-${number}`;
  const phone = phones[number % phones.length]!;
  const body: Json = {
    ...{ phone, messageType: "text", message: `${key} accepted` },
    ask: {
      ...{ answerWithin: "PT1H", key, remindAfter: "PT10M", reminder: `R ${key}` },
      notifyUrl: `${receiver.baseUrl}/${key}`,
    },
  };
  const path = `provider-webhook/zapi/${tenant.instanceId}/${webhookSecret}`;
  return {
    ...{ world, receiver, tenant, key },
    ask: () => world.call(tenant, "send-message", { body, idempotencyKey: key }),
    answer: () =>
      world.call(tenant, path, {
        body: {
          ...{ instanceId: tenant.gatewayInstanceId, type: "ReceivedCallback", phone },
          ...{ fromMe: false, isGroup: false, messageId: `IN ${key}`, momment: Date.now() },
          text: { message: "sim" },
        },
      }),
    age: async (seconds) => {
      await waitUntil(() => isState(world, tenant, ["open", "answered", "expired"]), {
        what: `${key} to be open`,
      });
      await moveBack(world.admin, tenant.instanceId, key, seconds);
    },
  };
}

async function isState(
  { admin }: ServiceWorld,
  { instanceId }: ModelTenant,
  states: readonly string[],
): Promise<boolean> {
  const rows = await admin`
    select from messaging.questions where instance_id = ${instanceId} and status = any (${states})`;
  return rows.length > 0;
}

/** Runs dispatchers until nothing waits; the claims of who was cut off pass. */
async function untilTold({ world, tenant }: Asking): Promise<void> {
  await waitUntil(async () => {
    await world.admin`
      update messaging.outbox set run_at = clock_timestamp() - interval '1 second'
      where settled_at is null`;
    await world.dispatch();
    const [left] = await world.admin<{ count: number }[]>`
      select (select count(*) from messaging.outbox where settled_at is null)::integer + (
        select count(*) from messaging.questions
        where instance_id = ${tenant.instanceId} and (ended_at is null or due_at is not null)
      )::integer as count`;
    return left?.count === 0;
  }, { what: "the end to be told" });
}

async function check(
  { world, receiver, tenant, key }: Asking,
  life: readonly Step[],
  what: string,
  isToldAgain: boolean,
): Promise<void> {
  const questions = await world.admin<{ status: string }[]>`
    select status from messaging.questions where instance_id = ${tenant.instanceId}`;
  const status = life === answeredLife ? "answered" : "expired";
  assertEquals(questions.map((one) => one.status), [status], what);
  const events = await world.admin<{ id: string; type: string }[]>`
    select 'evt_' || replace(id::text, '-', '') as id, type from messaging.events
    where instance_id = ${tenant.instanceId} and type like 'question.%'`;
  assertEquals(events.map(({ type }) => type), [`question.${status}`], what);
  const calls = receiver.requests.filter(({ path }) => path === `/${key}`);
  assertEquals(
    new Set(calls.map(({ headers }) => headers.get("webhook-id"))),
    new Set([events[0]!.id]),
  );
  assertEquals(calls.length >= (isToldAgain ? 2 : 1), true, `${what}: ${calls.length} calls`);
  const sent = world.providerCalls.filter(({ gateway }) => gateway === tenant.gatewayInstanceId)
    .map(({ text }) => text);
  // A killed process may not have called the provider with what it had claimed.
  const counts = [`${key} accepted`, `R ${key}`].map((words) =>
    sent.filter((text) => text === words).length
  );
  const expected = [1, life === answeredLife ? 1 : 0];
  if (kills === undefined) assertEquals(counts, expected, `${what}: ${sent}`);
  else {assertEquals(
      counts.every((count, place) => count <= expected[place]!),
      true,
      `${what}: ${sent}`,
    );}
}
