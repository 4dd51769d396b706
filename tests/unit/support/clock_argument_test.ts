import { assertEquals } from "../../support/assert.ts";
import { dropClock, readClock } from "../../support/clock/clock_argument.ts";

const nowMs = Date.parse("2026-03-01T00:00:00Z");

Deno.test("a clock is an instant with its offset, with or without seconds", () => {
  const read = (text: string): string | undefined => {
    const ms = readClock(text, nowMs);
    return ms === undefined ? undefined : new Date(ms).toISOString();
  };
  assertEquals(read("2027-03-31T23:50Z"), "2027-03-31T23:50:00.000Z");
  assertEquals(read("2028-02-29T12:00:05Z"), "2028-02-29T12:00:05.000Z");
  assertEquals(read("2027-02-07T02:30-03:00"), "2027-02-07T05:30:00.000Z");
  assertEquals(read("2020-01-01T00:00:00.250+05:30"), "2019-12-31T18:30:00.250Z");
});

Deno.test("a clock is a distance from now, ahead or behind", () => {
  assertEquals(readClock("+400d", nowMs), nowMs + 400 * 86_400_000);
  assertEquals(readClock("-36h", nowMs), nowMs - 36 * 3_600_000);
  assertEquals(readClock("+5m", nowMs), nowMs + 300_000);
  assertEquals(readClock("-0s", nowMs), nowMs);
});

Deno.test("what names no instant is no clock", () => {
  const wrong = [
    ...["", "tomorrow", "2027-03-31", "2027-03-31T23:50", "23:50Z", "2027-03-31 23:50Z"],
    ...["2027-02-29T12:00Z", "2027-04-31T12:00Z", "2027-13-01T12:00Z", "2027-03-31T25:00Z"],
    ...["2027-03-31T23:60Z", "2027-03-31T23:50+25:00"],
    ...["400d", "+400", "+d", "+4w", "+1.5d", "1790000000"],
  ];
  for (const text of wrong) assertEquals(readClock(text, nowMs), undefined, text);
});

Deno.test("the command line that runs on a clock has no --clock", () => {
  const rest = ["unit", "--filter", "a"];
  assertEquals(dropClock(["--clock", "+1d", ...rest]), rest);
  assertEquals(dropClock([...rest, "--clock=+1d"]), rest);
  assertEquals(dropClock(rest), rest);
});
