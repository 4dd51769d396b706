/**
 * A reference model of the send window that checks every quarter of an hour. It is slow and shares
 * nothing with the SQL. Time zone offsets come from the JavaScript runtime.
 */

export interface CalendarWindow {
  readonly timeZone: string;
  /** Minutes of the local day at quarters of an hour; the end is not inside, 1440 is the day's end. */
  readonly startMinute: number;
  readonly endMinute: number;
  /** ISO weekdays, 1 is Monday. */
  readonly days: readonly number[];
  /** Local dates without sending. */
  readonly holidays: readonly string[];
}

const quarterMs = 15 * 60_000;
const formats = new Map<string, Intl.DateTimeFormat>();
/** The local times of the quarters that were asked for: a walk asks for each of them many times. */
const quarters = new Map<string, LocalTime>();

interface LocalTime {
  readonly date: string;
  readonly weekday: number;
  readonly minute: number;
}

/** Local time and date at an instant. Offsets change at quarters of an hour only. */
export function readLocalTime(timeZone: string, instantMs: number): LocalTime {
  const quarter = Math.floor(instantMs / quarterMs) * quarterMs;
  const key = `${timeZone} ${quarter}`;
  const first = quarters.get(key) ?? formatLocalTime(timeZone, quarter);
  quarters.set(key, first);
  return { ...first, minute: first.minute + Math.floor((instantMs - quarter) / 60_000) };
}

function formatLocalTime(timeZone: string, instantMs: number): LocalTime {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-CA", {
      timeZone,
      hourCycle: "h23",
      ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
    });
    formats.set(timeZone, format);
  }
  const parts = Object.fromEntries(
    format.formatToParts(instantMs).map(({ type, value }) => [type, value]),
  );
  const date = `${parts["year"]}-${parts["month"]}-${parts["day"]}`;
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return {
    date,
    weekday: weekday === 0 ? 7 : weekday,
    minute: Number(parts["hour"]) * 60 + Number(parts["minute"]),
  };
}

/** Whether a paced message may be sent at an instant. */
export function isOpen(window: CalendarWindow, instantMs: number): boolean {
  const { date, weekday, minute } = readLocalTime(window.timeZone, instantMs);
  return window.days.includes(weekday) && !window.holidays.includes(date) &&
    minute >= window.startMinute && minute < window.endMinute;
}

/** The next instant with this local minute of the day; the given instant where none exists. */
export function findMinute(timeZone: string, minute: number, fromMs: number): number {
  let instantMs = Math.ceil(fromMs / quarterMs) * quarterMs;
  for (let step = 0; step < 2 * 96; step++, instantMs += quarterMs) {
    if (readLocalTime(timeZone, instantMs).minute === minute % 1_440) return instantMs;
  }
  return fromMs;
}

/** The first instant from `from` on in an open window. @returns null if none is within 40 days. */
export function findOpening(window: CalendarWindow, fromMs: number): number | null {
  if (isOpen(window, fromMs)) return fromMs;
  // Windows change at quarters of an hour only, too.
  let instantMs = Math.ceil(fromMs / quarterMs) * quarterMs;
  for (let step = 0; step < 40 * 96; step++, instantMs += quarterMs) {
    if (isOpen(window, instantMs)) return instantMs;
  }
  return null;
}
