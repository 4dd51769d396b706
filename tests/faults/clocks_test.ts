/**
 * The database's clock is the one that counts. Here it is five minutes ahead of the functions', goes back by 90
 * seconds and forward by an hour while they work, and is put right again.
 */

import type { Sql } from "postgres";
import { assert, assertEquals, assertGreater, assertNotEquals } from "../support/assert.ts";
import { findSettableClockObstacle } from "../support/clock/settable_clock.ts";
import {
  type ClockedPostgres,
  startClockedPostgres,
} from "../support/database/clocked_postgres.ts";
import { callFunction, enqueueText } from "../support/database/queue_calls.ts";
import type { DoubleRequest } from "../support/doubles/http_double.ts";
import { type SlowProvider, startSlowProvider } from "../support/doubles/slow_provider.ts";
import { surviveBrokenWrites } from "../support/faults/driver_faults.ts";
import { createPacedTenant } from "../support/fixtures/paced_tenant.ts";
import { delayNextSlot } from "../support/fixtures/queue_slots.ts";
import { createTenant, createToken, type Tenant } from "../support/fixtures/tenant.ts";
import { findMiddayZone } from "../support/midday_zone.ts";
import { startDispatchCron } from "../support/stack/dispatch_cron.ts";
import { startFunctionProcess } from "../support/stack/function_process.ts";
import { callSender, startSender } from "../support/stack/sender_calls.ts";
import { waitUntil } from "../support/wait_until.ts";

surviveBrokenWrites();

const obstacle = await findSettableClockObstacle();
const ignore = obstacle !== null;
const reason = ignore ? ` (skipped: ${obstacle})` : "";

/** Seconds. */
const apart = 300;
const back = -90;
const hour = 3_600;
const everyDay = [1, 2, 3, 4, 5, 6, 7];

interface Dispatching extends AsyncDisposable {
  readonly database: ClockedPostgres;
  readonly admin: Sql;
  readonly provider: SlowProvider;
}

/** A dispatcher on the machine's clock, which cron calls each second, and a database that is ahead of it. */
async function startDispatching(): Promise<Dispatching> {
  await using cleanup = new AsyncDisposableStack();
  const provider = cleanup.use(startSlowProvider(() => 0));
  const database = cleanup.use(await startClockedPostgres());
  await database.setClock(apart);
  const dispatcher = cleanup.use(
    await startFunctionProcess({
      slug: "dispatch-queue",
      databaseUrl: database.databaseUrl,
      // Longer than a test keeps an answer back.
      environment: { PROVIDER_TIMEOUT_MS: "30000" },
    }),
  );
  cleanup.use(startDispatchCron(dispatcher.url, 1));
  const keep = cleanup.move();
  return {
    ...{ database, admin: database.admin, provider },
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

/** Waits until claims that have ended were looked for after now. */
async function awaitMaintenance(admin: Sql): Promise<void> {
  const count = async (): Promise<number> => {
    const [row] = await admin<{ counted: number }[]>`
      select counted::integer from messaging.metric_counters
      where name = 'messaging_maintenance_runs_total'`;
    return row?.counted ?? 0;
  };
  const before = await count();
  // One may have looked before.
  await waitUntil(async () => await count() >= before + 2, { what: "two passes of maintenance" });
}

function callsOf({ requests }: SlowProvider, text: string): DoubleRequest[] {
  return requests.filter(({ json }) => json["message"] === text);
}

async function readStatus(admin: Sql, messageId: string): Promise<string> {
  const [row] = await admin<{ status: string }[]>`
    select status from messaging.messages where id = ${messageId}`;
  return row?.status ?? "";
}

Deno.test({
  name:
    `however the database's clock is set while a message is on its way, its claim is taken once and its provider called once${reason}`,
  ignore,
  fn: async () => {
    await using service = await startDispatching();
    const { database, admin, provider } = service;
    for (
      const [name, offset, during] of [
        ["back", apart + back, "queued"],
        // By that clock the claim has ended. What its worker reports later is true all the same.
        ["forward", apart + hour, "unconfirmed"],
      ] as const
    ) {
      await database.setClock(apart);
      const { instanceId } = await createTenant(admin, { baseUrl: provider.baseUrl });
      const called = provider.holdNext();
      const { messageId } = await enqueueText(admin, instanceId, { message: name });
      await called;
      const readClaim = async (): Promise<unknown> => {
        const [row] = await admin`
          select attempts, claim_token from messaging.message_queue where message_id = ${messageId}`;
        return row;
      };
      const claim = await readClaim();
      await database.setClock(offset);
      await awaitMaintenance(admin);
      assertEquals(await readStatus(admin, messageId), during);
      if (during === "queued") assertEquals(await readClaim(), claim);
      provider.release();
      await waitUntil(async () => await readStatus(admin, messageId) === "sent");
      await awaitMaintenance(admin);
      assertEquals(await readStatus(admin, messageId), "sent");
      assertEquals(callsOf(provider, name).length, 1);
    }
  },
});

const interval = 2;
const perSecond = 5;
/** How much closer two calls may be on a busy machine: see backlog.ts. */
const tolerance = 0.75;

/** The times between calls, in seconds. */
function gapsOf(calls: readonly DoubleRequest[]): number[] {
  return calls.slice(1).map(({ receivedAtMs }, place) =>
    (receivedAtMs - calls[place]!.receivedAtMs) / 1_000
  );
}

async function queueTexts(
  admin: Sql,
  instanceId: string,
  { count, message, intervalSeconds }: {
    readonly count: number;
    readonly message: string;
    readonly intervalSeconds: number | null;
  },
): Promise<void> {
  for (let number = 0; number < count; number++) {
    // Of one person there is one message on its way at a time.
    const phone = `55119${80_000_000 + number}`;
    await enqueueText(admin, instanceId, { message, intervalSeconds, phone });
  }
}

Deno.test({
  name:
    `when the database's clock goes forward an hour, an instance sends one message early, and all others at their pace${reason}`,
  ignore,
  fn: async () => {
    await using service = await startDispatching();
    const { database, admin, provider } = service;
    const { baseUrl } = provider;
    const spaced = await createTenant(admin, { baseUrl });
    const paced = await createPacedTenant(admin, perSecond, { baseUrl });
    await queueTexts(admin, paced.instanceId, {
      ...{ count: perSecond * 5, message: "paced", intervalSeconds: null },
    });
    await queueTexts(admin, spaced.instanceId, {
      ...{ count: 4, message: "spaced", intervalSeconds: interval },
    });
    const of = (text: string): DoubleRequest[] =>
      provider.requests.filter(({ text: body }) => body.includes(`"${text}"`));
    await waitUntil(() => of("spaced").length === 1 && of("paced").length > 1);
    await database.setClock(apart + hour);
    await waitUntil(() => of("spaced").length === 4 && of("paced").length === perSecond * 5);
    const early = gapsOf(of("spaced")).filter((gap) => gap < interval * (1 - tolerance));
    assert(early.length <= 1, `${early.length} messages came early`);
    const calls = of("paced");
    const seconds = calls.slice(perSecond).map(({ receivedAtMs }, place) =>
      (receivedAtMs - calls[place]!.receivedAtMs) / 1_000
    );
    // Those of which the step is one distance.
    const short = seconds.filter((second) => second < 1 - tolerance);
    assert(short.length <= perSecond, `${short.length} of ${seconds.length}: ${seconds}`);
  },
});

Deno.test({
  name:
    `when the database's clock goes back by 90 seconds, messages wait at most that much longer, and leave at their pace when it is right again${reason}`,
  ignore,
  fn: async () => {
    await using service = await startDispatching();
    const { database, admin, provider } = service;
    const { instanceId } = await createTenant(admin, { baseUrl: provider.baseUrl });
    const queue = (count: number): Promise<void> =>
      queueTexts(admin, instanceId, { count, message: "spaced", intervalSeconds: interval });
    await queue(3);
    await waitUntil(() => callsOf(provider, "spaced").length === 1);
    await database.setClock(apart + back);
    await queue(1);
    const [row] = await admin<{ dueInSeconds: number; lastInSeconds: number }[]>`
      select extract(epoch from d.next_due_at - clock_timestamp())::float8 as "dueInSeconds",
        extract(epoch from p.last_slot_at - clock_timestamp())::float8 as "lastInSeconds"
      from messaging.dispatch d join messaging.pacing p using (instance_id)
      where instance_id = ${instanceId}`;
    assert(row!.dueInSeconds <= interval - back, `due in ${row!.dueInSeconds} s`);
    assert(row!.lastInSeconds <= 3 * interval - back, `the last in ${row!.lastInSeconds} s`);
    await database.setClock(apart);
    await waitUntil(() => callsOf(provider, "spaced").length === 4);
    for (const gap of gapsOf(callsOf(provider, "spaced"))) {
      assertGreater(gap, interval * (1 - tolerance));
    }
  },
});

/** The local time of an instant, to its minute. */
function toLocalTime(instant: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" })
    .format(instant);
}

Deno.test({
  name:
    `no message leaves outside its window by the database's clock, whatever the functions' shows and wherever it is set${reason}`,
  ignore,
  fn: async () => {
    await using service = await startDispatching();
    const { database, admin, provider } = service;
    const timeZone = findMiddayZone();
    const createWithin = (start: string, end: string): Promise<Tenant> =>
      createTenant(admin, {
        ...{ baseUrl: provider.baseUrl, timeZone, window: { start, end, days: everyDay } },
      });
    let now = await database.now();
    const later = (seconds: number): string =>
      toLocalTime(new Date(now.getTime() + seconds * 1_000), timeZone);
    const hoursUntil = (slot: string): number => (Date.parse(slot) - now.getTime()) / hour / 1_000;

    // By the functions' clock it opens in more than three minutes.
    const open = await createWithin(later(0), "20:00");
    await enqueueText(admin, open.instanceId, { message: "open" });
    // And this one closes in as many.
    const closed = await createWithin("08:00", later(0));
    const kept = await enqueueText(admin, closed.instanceId, { message: "closed" });
    assertGreater(hoursUntil(kept.scheduledFor), 12);
    await waitUntil(() => callsOf(provider, "open").length === 1);

    // It is over while its message waits.
    const closing = await createWithin("08:00", later(30 * 60));
    await delayNextSlot(admin, closing.instanceId, 2);
    await enqueueText(admin, closing.instanceId, { message: "closing" });
    await database.setClock(apart + hour);
    await waitUntil(async () => {
      const [row] = await admin<{ isPostponed: boolean }[]>`
        select next_due_at > clock_timestamp() + interval '12 hours' as "isPostponed"
        from messaging.dispatch where instance_id = ${closing.instanceId}`;
      return row?.isPostponed;
    }, { what: "a message that waits for the next day" });

    // It is to open once more.
    await database.setClock(apart);
    now = await database.now();
    await database.setClock(apart + back);
    const opening = await createWithin(later(0), "20:00");
    const waiting = await enqueueText(admin, opening.instanceId, { message: "opening" });
    assertEquals(toLocalTime(new Date(waiting.scheduledFor), timeZone), later(0));
    await awaitMaintenance(admin);
    const left = provider.requests.map(({ json }) => json["message"]);
    assertEquals(left, ["open"]);
    await database.setClock(apart);
    await waitUntil(() => callsOf(provider, "opening").length === 1);
    // What was put off is due anew with the end of a hold.
    for (const call of ["hold_queue", "release_queue"]) {
      await callFunction(admin, call, {
        ...{ instanceId: closing.instanceId, reason: "clock", until: null, idempotency: null },
      });
    }
    await waitUntil(() => callsOf(provider, "closing").length === 1);
    assertEquals(callsOf(provider, "closed"), []);
  },
});

Deno.test({
  name:
    `keys, tokens and allowances end by the database's clock, and come to no harm when it is set and put right again${reason}`,
  ignore,
  fn: async () => {
    await using provider = startSlowProvider(() => 0);
    await using database = await startClockedPostgres();
    const { admin } = database;
    await database.setClock(apart);
    const tenant = await createTenant(admin, { baseUrl: provider.baseUrl });
    const nowMs = (await database.now()).getTime();
    const other = async (dates: Parameters<typeof createToken>[2]): Promise<Tenant> => ({
      ...tenant,
      ...await createToken(admin, tenant.instanceId, dates),
    });
    const expiring = await other({ expiresAt: new Date(nowMs + 30 * 60_000) });
    // By the functions' clock it has three minutes left.
    const expired = await other({ expiresAt: new Date(nowMs - 60_000) });
    const revoked = await other({ revokedAt: new Date(nowMs) });
    const limited = await createTenant(admin, { baseUrl: provider.baseUrl });
    await admin`
      update messaging.instances set requests_per_minute = 2 where id = ${limited.instanceId}`;
    await using sender = await startSender(database.databaseUrl);
    const send = (
      from: Tenant,
      key: string = crypto.randomUUID(),
    ): ReturnType<typeof callSender> =>
      callSender(sender, from, key, { phone: "5511987654321", messageType: "text", message: key });
    const statusOf = async (from: Tenant): Promise<number | undefined> =>
      (await send(from))?.status;

    const first = await send(tenant, "key");
    assertEquals([first?.status, first?.isReplay], [200, false]);
    for (const offset of [apart, apart + back, apart + hour, apart + back, apart]) {
      await database.setClock(offset);
      const repeated = await send(tenant, "key");
      assertEquals([repeated?.isReplay, repeated?.body], [true, first?.body], `${offset}`);
      assertEquals(await statusOf(expiring), offset > apart ? 401 : 200, `${offset}`);
      assertEquals(await statusOf(revoked), 401);
      if (offset >= apart) assertEquals(await statusOf(expired), 401);
      // What was used by a clock that was ahead is not missing for longer than a minute.
      assertEquals(await statusOf(limited), 200, `an allowance at ${offset}`);
    }
    assertEquals(callsOf(provider, "key").length, 1);

    await database.setClock(apart + 24 * hour + 1);
    const anew = await send(tenant, "key");
    assertEquals([anew?.status, anew?.isReplay], [200, false]);
    assertNotEquals(anew?.body.messageId, first?.body.messageId);
    await database.setClock(apart);
    const replayed = await send(tenant, "key");
    assertEquals([replayed?.isReplay, replayed?.body], [true, anew?.body]);
    assertEquals(callsOf(provider, "key").length, 2);
  },
});
