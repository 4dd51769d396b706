/** Reads what `--clock` says. */

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const distance = /^([+-]\d{1,6})([smhd])$/;
const instant = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** How `--clock` is written, for a sentence about a wrong one. */
export const clockForm =
  "an instant with its offset from UTC (2027-03-31T23:50Z, 2027-02-07T02:30-03:00) or a distance from now (+400d, -36h)";

/**
 * Reads an instant, or a distance from now in days, hours, minutes or seconds.
 *
 * @returns the instant, in milliseconds; undefined for what is neither.
 */
export function readClock(text: string, nowMs: number): number | undefined {
  const [, count, unit = ""] = distance.exec(text) ?? [];
  if (count !== undefined) return nowMs + Number(count) * (unitMs[unit] ?? NaN);
  const [, day] = instant.exec(text) ?? [];
  // `Date` takes 30 February for 2 March.
  if (day === undefined || !isDay(day)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

function isDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}

/** The command line without `--clock` and its value. */
export function dropClock(args: readonly string[]): string[] {
  return args.filter((arg, index) => !/^--clock(?:=|$)/.test(arg) && args[index - 1] !== "--clock");
}
