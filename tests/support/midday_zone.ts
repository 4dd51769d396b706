/**
 * A time zone in which it is between 12:00 and 13:00 now, on the same date as in UTC: what a test does in it
 * within hours is of one day and of one month, whenever the test runs.
 */
export function findMiddayZone(now = new Date()): string {
  return zoneOf(12 - now.getUTCHours());
}

/** A time zone in which the last hour of a day has begun, and the date of the next one there. */
export function findLastHourZone(
  now = new Date(),
): { readonly timeZone: string; readonly tomorrow: string } {
  const ahead = 23 - now.getUTCHours();
  // The easternmost zone lies 14 hours ahead.
  const hoursAhead = ahead > 14 ? ahead - 24 : ahead;
  const tomorrow = new Date(now.getTime() + (hoursAhead + 24) * 3_600_000);
  return { timeZone: zoneOf(hoursAhead), tomorrow: tomorrow.toISOString().slice(0, 10) };
}

/** The names have the sign of the hours behind. */
function zoneOf(hoursAhead: number): string {
  return hoursAhead === 0 ? "UTC" : `Etc/GMT${hoursAhead > 0 ? "-" : "+"}${Math.abs(hoursAhead)}`;
}

/** The date in a time zone: `2026-11-29`. */
export function findDay(timeZone: string, at = new Date()): string {
  return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeZone }).format(at);
}
