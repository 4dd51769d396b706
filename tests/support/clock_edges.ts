/** Ends of the calendar that a test must not cross. */

/** Longer than a test of a busy machine takes. */
const marginMs = 120_000;
/** Hours from UTC of the zones that tests use: UTC itself, and America/Sao_Paulo. */
const zones = [0, -3];

/** Milliseconds until the next month where it is that near; 0 nearly always. */
export function untilNextMonth(nowMs: number): number {
  const waits = zones.map((hours) => {
    const localMs = nowMs + hours * 3_600_000;
    const local = new Date(localMs);
    const leftMs = Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1) - localMs;
    return leftMs < marginMs ? leftMs : 0;
  });
  return Math.max(...waits);
}

/** For tests that count by the month: waits where the month is about to end, so that it does not end in one. */
export async function passMonthEnd(): Promise<void> {
  const waitMs = untilNextMonth(Date.now());
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs + 100));
}

/** For tests of a day's last hour: waits where the hour is about to end. */
export async function passHourEnd(): Promise<void> {
  const leftMs = 3_600_000 - Date.now() % 3_600_000;
  if (leftMs < 30_000) await new Promise((resolve) => setTimeout(resolve, leftMs + 100));
}
