/**
 * Writes an instant (Unix milliseconds) as the clocks of a zone show it: ISO 8601 with milliseconds
 * and the offset of that moment, `2026-03-10T09:00:00.500-03:00`. Years 1000 to 9999.
 */
export type LocalTimeWriter = (instantMs: number) => string;

/**
 * A writer for one zone. Reuse it: creating one costs more than using it.
 *
 * @param timeZone an IANA name.
 * @throws RangeError for a zone that the runtime does not know.
 */
export function createLocalTimeWriter(timeZone: string): LocalTimeWriter {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  return (instantMs) => {
    const parts = format.formatToParts(instantMs);
    const part = (type: Intl.DateTimeFormatPartTypes): string =>
      parts.find((candidate) => candidate.type === type)?.value ?? "";
    const local = `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:` +
      `${part("minute")}:${part("second")}`;
    const milliseconds = new Date(instantMs).toISOString().slice(-5, -1);
    const wholeSecondMs = Math.floor(instantMs / 1_000) * 1_000;
    return local + milliseconds + formatOffset(Date.parse(`${local}Z`) - wholeSecondMs);
  };
}

function formatOffset(offsetMs: number): string {
  const minutes = Math.abs(Math.round(offsetMs / 60_000));
  const digits = (value: number): string => String(value).padStart(2, "0");
  return `${offsetMs < 0 ? "-" : "+"}${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}`;
}
