/**
 * A time zone in which it is between 12:00 and 13:00 now, on the same date as in UTC: what a test does in it
 * within hours is of one day and of one month, whenever the test runs.
 */
export function findMiddayZone(now = new Date()): string {
  const hoursAhead = 12 - now.getUTCHours();
  // The names have the sign of the hours behind.
  return hoursAhead === 0 ? "UTC" : `Etc/GMT${hoursAhead > 0 ? "-" : "+"}${Math.abs(hoursAhead)}`;
}

/** The date in a time zone: `2026-11-29`. */
export function findDay(timeZone: string, at = new Date()): string {
  return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeZone }).format(at);
}
