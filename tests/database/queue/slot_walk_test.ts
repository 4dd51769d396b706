/**
 * The slots of a number with limits, against a slow reference that shares nothing with the SQL; and a
 * forecast of them, against what the enqueues then give.
 */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import {
  type CalendarWindow,
  findOpening,
  readLocalTime,
} from "../../support/database/calendar_model.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { protect } from "../../support/fixtures/protected_tenant.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { createSeededRandom, type SeededRandom } from "../../support/seeded_random.ts";

const seeds = Array.from({ length: 40 }, (_, index) => 7_000 + index);

interface Protection {
  readonly dailyLimit?: number;
  readonly newContactsPerDay?: number;
  readonly jitterSeconds?: number;
  readonly warmUp?: { startPerDay: number; rampDays: number; startedAt: string };
}

interface Step {
  readonly intervalSeconds: number;
  readonly notBefore: string;
  readonly typingMs: number;
  readonly isNew: boolean;
  readonly seed: string;
}

interface Slot {
  readonly slot: number;
  readonly heldBy: string | null;
  readonly pace: number;
}

interface World {
  readonly window: CalendarWindow;
  readonly protection: Protection | null;
  readonly baseMs: number;
  readonly steps: readonly Step[];
}

function pick<Item>(random: SeededRandom, items: readonly Item[]): Item {
  return items[Math.floor(random.between(0, items.length))]!;
}

function whole(random: SeededRandom, from: number, to: number): number {
  return Math.floor(random.between(from, to + 1));
}

/** A window, holidays, limits and messages; some instants lie at the end of a day. */
function createWorld(seed: number): World {
  const random = createSeededRandom(seed);
  const timeZone = pick(random, ["UTC", "America/Sao_Paulo", "Asia/Kolkata", "Pacific/Auckland"]);
  // Ahead of today: no slot is in the past.
  const year = new Date().getUTCFullYear() + 2;
  const baseMs = Date.UTC(year, whole(random, 0, 11), whole(random, 1, 28), whole(random, 0, 23)) +
    whole(random, 0, 3_599) * 1_000;
  const startMinute = whole(random, 0, 60) * 15;
  const days = [1, 2, 3, 4, 5, 6, 7].filter(() => random.between(0, 1) < 0.7);
  const window: CalendarWindow = {
    timeZone,
    startMinute,
    endMinute: Math.min(1_440, startMinute + whole(random, 1, 60) * 15),
    days: days.length === 0 ? [3] : days,
    holidays: [1, 3].map((ahead) => readLocalTime(timeZone, baseMs + ahead * 86_400_000).date),
  };
  const maybe = <Value>(value: Value): Value | undefined =>
    random.between(0, 1) < 0.6 ? value : undefined;
  const dailyLimit = maybe(whole(random, 1, 6));
  const limits = {
    dailyLimit,
    newContactsPerDay: maybe(whole(random, 1, 3)),
    jitterSeconds: maybe(whole(random, 0, 90)),
    warmUp: maybe({
      startPerDay: 1,
      rampDays: whole(random, 1, 4),
      startedAt: readLocalTime(timeZone, baseMs - whole(random, 0, 2) * 86_400_000).date,
    }),
  };
  const set = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  return {
    window,
    protection: Object.keys(set).length === 0 ? null : set,
    baseMs,
    steps: Array.from({ length: whole(random, 8, 25) }, (_, index) => ({
      intervalSeconds: whole(random, 10, 3_600),
      notBefore: new Date(
        baseMs + (random.between(0, 1) < 0.2 ? whole(random, 0, 200_000) * 1_000 : 0),
      ).toISOString(),
      typingMs: random.between(0, 1) < 0.3 ? whole(random, 1, 59_000) : 0,
      isNew: random.between(0, 1) < 0.5,
      seed: `batch:${index}`,
    })),
  };
}

class Undone extends Error {}

/** The slots of a forecast, and those of the enqueues right after it. Nothing stays. */
async function forecastAndEnqueue(
  admin: Sql,
  instanceId: string,
  { steps, baseMs }: World,
): Promise<{ forecast: readonly Slot[]; enqueued: readonly Slot[] }> {
  let found: { forecast: readonly Slot[]; enqueued: readonly Slot[] } | undefined;
  await admin.begin(async (sql) => {
    await sql`update messaging.pacing set last_slot_at = '-infinity'`;
    await sql.unsafe(forecastFunction);
    const read = (result: unknown): readonly Slot[] =>
      (result as { slot: string }[]).map((slot) => ({
        ...slot,
        slot: Date.parse(slot.slot),
      })) as unknown as readonly Slot[];
    const call = async (name: string): Promise<readonly Slot[]> => {
      const rows = await sql.unsafe(
        `select pg_temp.${name}(i, $2::text::jsonb, $3::timestamptz) as result
        from messaging.instances i where i.id = $1`,
        [instanceId, JSON.stringify(steps), new Date(baseMs).toISOString()],
      );
      return read(rows[0]?.["result"]);
    };
    found = { forecast: await call("forecast"), enqueued: await call("enqueue") };
    throw new Undone();
  }).catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
  });
  assert(found !== undefined);
  return found;
}

/** A message without a contact is known; a contact of which nothing is stored is new. */
const forecastFunction = `
create function pg_temp.forecast(instance messaging.instances, steps jsonb, base timestamptz)
returns jsonb language plpgsql as $$
declare
  walk messaging.slot_walk := messaging.begin_walk(instance, date_trunc('milliseconds', clock_timestamp()));
  step jsonb;
  found jsonb := '[]';
begin
  for step in select jsonb_array_elements(steps) loop
    walk := messaging.next_slot(
      instance, walk, (step->>'intervalSeconds')::integer, (step->>'notBefore')::timestamptz,
      interval '1 millisecond' * (step->>'typingMs')::integer, step->>'seed',
      (step->>'isNew')::boolean and instance.protection ? 'newContactsPerDay'
    );
    found := found || jsonb_build_object(
      'slot', walk.slot, 'heldBy', walk.held_by, 'pace', walk.interval_seconds
    );
  end loop;
  return found;
end $$;
create function pg_temp.enqueue(instance messaging.instances, steps jsonb, base timestamptz)
returns jsonb language plpgsql as $$
declare
  step jsonb;
  given record;
  found jsonb := '[]';
  id uuid;
begin
  for step in select jsonb_array_elements(steps) loop
    id := gen_random_uuid();
    given := messaging.enqueue_message(
      id, instance, (step->>'intervalSeconds')::integer, (step->>'notBefore')::timestamptz,
      interval '1 millisecond' * (step->>'typingMs')::integer,
      case when (step->>'isNew')::boolean then gen_random_uuid() end, step->>'seed'
    );
    found := found || (
      select jsonb_build_object('slot', given.slot, 'heldBy', given.held_by, 'pace', q.interval_seconds)
      from messaging.message_queue q where q.message_id = id
    );
  end loop;
  return found;
end $$`;

/** Each slot in turn: the first day with a place, behind all slots of the day, inside the window. */
function computeSlots({ window, protection, steps }: World, paces: readonly number[]): number[] {
  const dayOf = (ms: number): string => readLocalTime(window.timeZone, ms).date;
  const perDay = new Map<
    string,
    { all: number; fresh: number; leftMs: number; startsMs: number }
  >();
  const over = new Set<string>();
  let plainTailMs = -Infinity;
  return steps.map((step, index) => {
    const pace = paces[index]! * 1_000;
    let fromMs = Date.parse(step.notBefore);
    if (protection === null) {
      const slot = open(window, Math.max(fromMs, plainTailMs + pace), step.typingMs);
      plainTailMs = slot + step.typingMs;
      return slot;
    }
    for (let tries = 0; tries < 2_000; tries++) {
      const day = dayOf(fromMs);
      const counted = perDay.get(day);
      const isFull = over.has(day) || (counted?.all ?? 0) >= limitOf(protection, day) ||
        (step.isNew && (counted?.fresh ?? 0) >= (protection.newContactsPerDay ?? Infinity));
      const tailMs = Math.max(
        ...[day, dayOf(fromMs - 86_400_000)].map((each) => perDay.get(each)?.leftMs ?? -Infinity),
      ) + pace;
      if (!isFull) {
        const slot = open(window, Math.max(fromMs, tailMs), step.typingMs);
        const nextDay = perDay.get(nextDayOf(day));
        if (dayOf(slot) === day && slot + step.typingMs <= (nextDay?.startsMs ?? Infinity)) {
          perDay.set(day, {
            all: (counted?.all ?? 0) + 1,
            fresh: (counted?.fresh ?? 0) + Number(step.isNew),
            leftMs: slot + step.typingMs,
            startsMs: Math.min(counted?.startsMs ?? Infinity, slot - pace),
          });
          return slot;
        }
        if (tailMs >= fromMs) over.add(day);
        if (dayOf(slot) !== day) {
          // A day in between has no opening.
          fromMs = slot;
          const midnight = startOfDay(window.timeZone, slot);
          fromMs = Math.max(fromMs, midnight);
          continue;
        }
      }
      fromMs = startOfDay(window.timeZone, fromMs + 86_400_000);
    }
    throw new Error("no slot");
  });
}

function nextDayOf(day: string): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

function limitOf({ dailyLimit, warmUp }: Protection, day: string): number {
  const limit = dailyLimit ?? Infinity;
  if (warmUp === undefined) return limit;
  const n = Math.max(
    0,
    Math.round((Date.parse(day) - Date.parse(warmUp.startedAt)) / 86_400_000),
  );
  if (n > warmUp.rampDays) return limit;
  const target = dailyLimit ?? 1_000;
  return Math.floor(warmUp.startPerDay + (target - warmUp.startPerDay) * n / warmUp.rampDays);
}

/** The first quarter of an hour of the local day that an instant lies in. */
function startOfDay(timeZone: string, ms: number): number {
  const quarter = 15 * 60_000;
  const { date } = readLocalTime(timeZone, ms);
  let at = Math.floor(ms / quarter) * quarter;
  while (readLocalTime(timeZone, at - quarter).date === date) at -= quarter;
  return at;
}

function open(window: CalendarWindow, fromMs: number, typingMs: number): number {
  let opening = findOpening(window, fromMs);
  // The typing must fit before the window closes.
  while (opening !== null && findOpening(window, opening + typingMs) !== opening + typingMs) {
    opening = findOpening(window, findOpening(window, opening + typingMs) ?? NaN);
  }
  if (opening === null) throw new Error("the window never opens");
  return opening;
}

async function setWindow(sql: Sql, instanceId: string, window: CalendarWindow): Promise<void> {
  const { timeZone, startMinute, endMinute, days, holidays } = window;
  const toTime = (minute: number): string =>
    `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
  await sql`
    update messaging.instances
    set time_zone = ${timeZone}, window_start = ${toTime(startMinute)},
      window_end = ${toTime(endMinute)}, window_days = ${[...days]}
    where id = ${instanceId}`;
  await sql`delete from messaging.holidays where instance_id = ${instanceId}`;
  for (const day of holidays) {
    await sql`insert into messaging.holidays (instance_id, day) values (${instanceId}, ${day})`;
  }
}

Deno.test("slots respect windows, holidays, limits and intervals, and a forecast knows them to the millisecond", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  const reasons = new Set<string | null>();
  for (const seed of seeds) {
    const world = createWorld(seed);
    await setWindow(admin, instanceId, world.window);
    await protect(admin, instanceId, null);
    if (world.protection !== null) await protect(admin, instanceId, { ...world.protection });
    const { forecast, enqueued } = await forecastAndEnqueue(admin, instanceId, world);
    const about = `seed ${seed}: ${JSON.stringify(world)}`;
    assertEquals(enqueued, forecast, about);
    for (const [index, { pace, heldBy }] of enqueued.entries()) {
      const extra = pace - world.steps[index]!.intervalSeconds;
      assert(extra >= 0 && extra <= (world.protection?.jitterSeconds ?? 0), about);
      reasons.add(heldBy);
    }
    assertEquals(
      enqueued.map(({ slot }) => new Date(slot).toISOString()),
      computeSlots(world, enqueued.map(({ pace }) => pace)).map((ms) => new Date(ms).toISOString()),
      about,
    );
  }
  assertEquals([...reasons].map(String).sort(), [
    ...["daily_limit", "holiday", "interval", "new_contacts", "null", "warm_up", "window"],
  ]);
});
