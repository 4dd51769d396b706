import { resolvePeriod } from "../../../shared/history/period.ts";
import { countDays } from "../../../shared/model/calendar_days.ts";
import { assertEquals, assertGreater, assertThrows } from "../../support/assert.ts";

function resolve(start: string, end: string, timeZone: string): [string, string] {
  const { startsAt, endsAt } = resolvePeriod({ start, end }, timeZone);
  return [formatInstant(startsAt), formatInstant(endsAt)];
}

function formatInstant(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace(":00.000Z", "Z");
}

Deno.test("a period reaches from its first day's midnight to the midnight after its last", () => {
  assertEquals(resolve("2026-03-02", "2026-03-02", "America/Sao_Paulo"), [
    "2026-03-02T03:00Z",
    "2026-03-03T03:00Z",
  ]);
  assertEquals(resolve("2026-02-27", "2026-03-01", "Asia/Kolkata"), [
    "2026-02-26T18:30Z",
    "2026-03-01T18:30Z",
  ]);
  assertEquals(resolve("2025-12-31", "2026-01-01", "UTC"), [
    "2025-12-31T00:00Z",
    "2026-01-02T00:00Z",
  ]);
  assertEquals(resolve("2028-02-28", "2028-02-29", "UTC")[1], "2028-03-01T00:00Z");
});

Deno.test("a day whose midnight is skipped starts when its clock does", () => {
  // Brazil, 2018: 23:59:59 of 3 November was followed by 01:00.
  assertEquals(resolve("2018-11-04", "2018-11-04", "America/Sao_Paulo"), [
    "2018-11-04T03:00Z",
    "2018-11-05T02:00Z",
  ]);
  assertEquals(resolve("2018-11-03", "2018-11-03", "America/Sao_Paulo")[1], "2018-11-04T03:00Z");
});

Deno.test("an hour before midnight that comes twice belongs to its day both times", () => {
  assertEquals(resolve("2018-02-17", "2018-02-17", "America/Sao_Paulo"), [
    "2018-02-17T02:00Z",
    "2018-02-18T03:00Z",
  ]);
});

Deno.test("a day whose midnight comes twice starts the first time", () => {
  // Cuba: 01:00 of 3 November 2024 was followed by 00:00.
  assertEquals(resolve("2024-11-03", "2024-11-03", "America/Havana"), [
    "2024-11-03T04:00Z",
    "2024-11-04T05:00Z",
  ]);
});

Deno.test("days with a change in their middle have 23 and 25 hours", () => {
  assertEquals(resolve("2026-03-08", "2026-03-08", "America/New_York"), [
    "2026-03-08T05:00Z",
    "2026-03-09T04:00Z",
  ]);
  assertEquals(resolve("2026-11-01", "2026-11-01", "America/New_York"), [
    "2026-11-01T04:00Z",
    "2026-11-02T05:00Z",
  ]);
  // Half an hour, on the other half of the globe.
  assertEquals(resolve("2026-04-05", "2026-04-05", "Australia/Lord_Howe"), [
    "2026-04-04T13:00Z",
    "2026-04-05T13:30Z",
  ]);
});

Deno.test("a day that the calendar skipped has no duration", () => {
  assertEquals(resolve("2011-12-30", "2011-12-30", "Pacific/Apia"), [
    "2011-12-30T10:00Z",
    "2011-12-30T10:00Z",
  ]);
});

Deno.test("around every change of every zone since 2016 days start where the calendar says", () => {
  let compared = 0;
  for (const timeZone of Intl.supportedValuesOf("timeZone")) {
    for (const day of listDaysAroundChanges(timeZone, "2016-01-01", "2028-01-01")) {
      const end = day.add({ days: 1 });
      const expected = [day, day.add({ days: 2 })].map((date) =>
        date.toZonedDateTime(timeZone).epochMilliseconds / 1_000
      );
      const period = { start: day.toString(), end: end.toString() };
      const { startsAt, endsAt } = resolvePeriod(period, timeZone);
      assertEquals([startsAt, endsAt], expected, `${timeZone} ${day}`);
      compared += 1;
    }
  }
  assertGreater(compared, 2_000);
});

function listDaysAroundChanges(
  timeZone: string,
  from: string,
  until: string,
): Temporal.PlainDate[] {
  const days: Temporal.PlainDate[] = [];
  let change: Temporal.ZonedDateTime | null = Temporal.PlainDate.from(from)
    .toZonedDateTime(timeZone);
  const last = Temporal.PlainDate.from(until).toZonedDateTime(timeZone).epochMilliseconds;
  while (change !== null && change.epochMilliseconds < last) {
    days.push(change.toPlainDate().subtract({ days: 1 }), change.toPlainDate());
    change = change.getTimeZoneTransition("next");
  }
  return days;
}

Deno.test("days are counted with both ends", () => {
  assertEquals(countDays({ start: "2026-03-02", end: "2026-03-02" }), 1);
  assertEquals(countDays({ start: "2024-01-01", end: "2024-12-31" }), 366);
  assertEquals(countDays({ start: "2026-03-02", end: "2026-03-01" }), 0);
});

Deno.test("an unknown zone is refused, never read as another", () => {
  assertThrows(() => resolve("2026-03-02", "2026-03-02", "America/Nowhere"), RangeError);
});
