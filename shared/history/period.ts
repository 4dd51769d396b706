import { fromZonedTime } from "date-fns-tz/fromZonedTime";
import type { Period } from "../model/calendar_days.ts";
import { createLocalTimeWriter } from "../model/local_time.ts";

/** A span of time in Unix seconds; the end is not included. */
export interface Span {
  readonly startsAt: number;
  readonly endsAt: number;
}

const dayMs = 86_400_000;

/**
 * The time that a period takes in a zone, from the start of its first day to the start of the day
 * after its last. Correct across daylight-saving changes: days have 23 or 25 hours, begin at
 * 01:00 or, as in Samoa in 2011, do not exist. Years 1000 to 9998.
 *
 * @param timeZone an IANA name.
 * @throws RangeError for a zone that the runtime does not know.
 */
export function resolvePeriod({ start, end }: Period, timeZone: string): Span {
  const dayAfterEnd = new Date(Date.parse(end) + dayMs).toISOString().slice(0, 10);
  return { startsAt: startOfDay(start, timeZone), endsAt: startOfDay(dayAfterEnd, timeZone) };
}

/** The first instant whose date in the zone is `day` or later, in Unix seconds. */
function startOfDay(day: string, timeZone: string): number {
  const writeLocalTime = createLocalTimeWriter(timeZone);
  const isReached = (seconds: number): boolean => writeLocalTime(seconds * 1_000) >= day;
  const guess = fromZonedTime(`${day}T00:00:00`, timeZone).getTime() / 1_000;
  if (isReached(guess) && !isReached(guess - 1)) return guess;
  // Midnight does not exist on this day or comes twice; of such a time the library may give
  // any reading, the evening before included.
  let before = guess - 2 * dayMs / 1_000;
  let reached = guess + 2 * dayMs / 1_000;
  while (reached - before > 1) {
    const middle = Math.floor((before + reached) / 2);
    if (isReached(middle)) reached = middle;
    else before = middle;
  }
  return reached;
}
