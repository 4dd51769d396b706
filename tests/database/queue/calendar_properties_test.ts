import fc from "fast-check";
import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import {
  type CalendarWindow,
  findMinute,
  findOpening,
  isOpen,
  readLocalTime,
} from "../../support/database/calendar_model.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

const seed = 20_261_121;
const numRuns = 150;

/** Zones with daylight saving of one hour, half an hour or around Ramadan, odd offsets, and none. */
const timeZones = [
  ...["America/Sao_Paulo", "America/New_York", "Europe/Lisbon", "Asia/Kolkata", "UTC"],
  ...["Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia", "Asia/Kathmandu"],
  ...["America/Santiago", "Pacific/Chatham", "Europe/London"],
] as const;

const firstYear = 2024;

/** Instants around clock changes, year ends and leap days, and random ones. */
const instants = fc.oneof(
  fc.integer({ min: Date.UTC(firstYear, 0, 1), max: Date.UTC(firstYear + 4, 0, 1) }),
  fc.tuple(
    fc.constantFrom(
      ...[Date.UTC(2026, 2, 8, 7), Date.UTC(2026, 10, 1, 6), Date.UTC(2026, 2, 29, 1)],
      ...[Date.UTC(2026, 9, 25, 1), Date.UTC(2026, 3, 4, 15), Date.UTC(2026, 9, 3, 15, 30)],
      ...[Date.UTC(2026, 11, 31, 23), Date.UTC(2027, 0, 1, 3), Date.UTC(2028, 1, 29, 12)],
      ...[Date.UTC(2026, 1, 15, 2), Date.UTC(2026, 2, 22, 2), Date.UTC(2026, 8, 6, 4)],
    ),
    fc.integer({ min: -36 * 3_600_000, max: 36 * 3_600_000 }),
  ).map(([around, offset]) => around + offset),
);

/** Start times are after the hours of clock changes, because a skipped local time has no meaning. */
const windows: fc.Arbitrary<CalendarWindow> = fc.record({
  timeZone: fc.constantFrom(...timeZones),
  quarters: fc.tuple(fc.integer({ min: 16, max: 92 }), fc.integer({ min: 1, max: 80 })),
  days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 }),
  holidayOffsets: fc.array(fc.integer({ min: -2, max: 6 }), { maxLength: 4 }),
}).map(({ timeZone, quarters: [start, length], days, holidayOffsets }) => ({
  timeZone,
  startMinute: start * 15,
  endMinute: Math.min(start + length, 96) * 15,
  days: days.toSorted((a, b) => a - b),
  holidays: holidayOffsets.map(String),
}));

/** Half of the instants are exactly at an edge of the window. */
const edges = fc.option(
  fc.tuple(fc.constantFrom("start", "end"), fc.constantFrom(-1, 0, 1)),
  { freq: 2 },
);

function moveToEdge(
  { timeZone, startMinute, endMinute }: CalendarWindow,
  aroundMs: number,
  edge: readonly [string, number] | null,
): number {
  if (edge === null) return aroundMs;
  const [side, offsetMs] = edge;
  const minute = side === "start" ? startMinute : endMinute;
  return findMinute(timeZone, minute, aroundMs) + offsetMs;
}

/** Holidays are close to the instant; others would rarely matter. */
function placeHolidays(window: CalendarWindow, instantMs: number): CalendarWindow {
  const holidays = window.holidays.map((offset) =>
    readLocalTime(window.timeZone, instantMs + Number(offset) * 86_400_000).date
  );
  return { ...window, holidays: [...new Set(holidays)] };
}

Deno.test("SQL moves a slot exactly to the next opening of a reference calendar", async () => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  await fc.assert(
    fc.asyncProperty(windows, instants, edges, async (plain, aroundMs, edge) => {
      const instantMs = moveToEdge(plain, aroundMs, edge);
      const window = placeHolidays(plain, instantMs);
      await setWindow(database.admin, instanceId, window);
      const found = await ask(database.admin, instanceId, window.timeZone, instantMs);
      // SQL and runtime have separate time zone data. Compares only where both agree.
      fc.pre(found.localMinute === readLocalTime(window.timeZone, instantMs).minute);
      assertEquals(found.isOpen, isOpen(window, instantMs), "open");
      const opening = findOpening(window, instantMs);
      assert(opening !== null);
      assertEquals(new Date(found.slotMs).toISOString(), new Date(opening).toISOString(), "slot");
      assertEquals(found.heldBy === null, opening === instantMs, "held only when moved");
      if (found.heldBy === "holiday") assert(window.holidays.length > 0);
    }),
    { seed, numRuns },
  );
});

Deno.test("slots keep their interval, are inside the window, and are as early as possible", async () => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  const calls = fc.array(
    fc.record({
      intervalSeconds: fc.integer({ min: 10, max: 3_600 }),
      delaySeconds: fc.integer({ min: 0, max: 86_400 }),
      typingMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 59_000 })),
    }),
    { minLength: 2, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(windows, instants, calls, async (plain, aroundMs, sequence) => {
      // Slots start in the future: the past has none.
      const years = new Date().getUTCFullYear() + 2 - firstYear;
      const baseMs = aroundMs + years * 365 * 86_400_000;
      const window = placeHolidays(plain, baseMs);
      await setWindow(database.admin, instanceId, window);
      let lastMs = -Infinity;
      await database.admin.begin(async (sql) => {
        await sql`update messaging.pacing set last_slot_at = '-infinity'`;
        for (const { intervalSeconds, delaySeconds, typingMs } of sequence) {
          const notBeforeMs = baseMs + delaySeconds * 1_000;
          const [row] = await sql`
            select e.slot from messaging.instances i,
              messaging.enqueue_message(
                gen_random_uuid(), i, ${intervalSeconds}, ${new Date(notBeforeMs)},
                ${`${typingMs} milliseconds`}
              ) e
            where i.id = ${instanceId}`;
          const slotMs = row?.["slot"].getTime();
          const earliestMs = Math.max(notBeforeMs, lastMs + intervalSeconds * 1_000);
          const opening = findOpeningFor(window, earliestMs, typingMs);
          assertEquals(new Date(slotMs).toISOString(), new Date(opening ?? NaN).toISOString());
          lastMs = slotMs + typingMs;
        }
        // These slots have no messages, so the transaction is rolled back.
        throw new Undone();
      }).catch((error: unknown) => {
        if (!(error instanceof Undone)) throw error;
      });
    }),
    { seed, numRuns: 60 },
  );
});

Deno.test("a window over midnight or of no length is invalid", async () => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  for (const [start, end] of [["22:00", "06:00"], ["08:00", "08:00"], ["24:00", "24:00"]]) {
    const changed = database.admin`
      update messaging.instances set window_start = ${start ?? ""}, window_end = ${end ?? ""}
      where id = ${instanceId}`.execute();
    const refused = await changed.then(() => false, () => true);
    assert(refused, `${start} to ${end}`);
  }
});

class Undone extends Error {}

interface Found {
  readonly isOpen: boolean;
  readonly slotMs: number;
  readonly heldBy: string | null;
  readonly localMinute: number;
}

async function ask(
  sql: Sql,
  instanceId: string,
  timeZone: string,
  instantMs: number,
): Promise<Found> {
  const instant = new Date(instantMs);
  const [row] = await sql`
    select messaging.is_send_window_open(i, ${instant}) as open, f.slot, f.held_by,
      extract(hour from ${instant}::timestamptz at time zone ${timeZone})::int * 60
        + extract(minute from ${instant}::timestamptz at time zone ${timeZone})::int as minute
    from messaging.instances i
    left join lateral messaging.fit_send_window(i, ${instant}, '0') f
      on not messaging.is_send_window_open(i, ${instant})
    where i.id = ${instanceId}`;
  return {
    isOpen: row?.["open"],
    slotMs: row?.["slot"]?.getTime() ?? instantMs,
    heldBy: row?.["held_by"] ?? null,
    localMinute: row?.["minute"],
  };
}

async function setWindow(sql: Sql, instanceId: string, window: CalendarWindow): Promise<void> {
  const { timeZone, startMinute, endMinute, days, holidays } = window;
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

function toTime(minute: number): string {
  const pad = (value: number): string => String(value).padStart(2, "0");
  return `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
}

/** The slot of a message that is sent `typingMs` after it: both are in one window. */
function findOpeningFor(
  window: CalendarWindow,
  earliestMs: number,
  typingMs: number,
): number | null {
  const leavesTooLate = isOpen(window, earliestMs) && !isOpen(window, earliestMs + typingMs);
  return findOpening(window, leavesTooLate ? earliestMs + typingMs : earliestMs);
}
