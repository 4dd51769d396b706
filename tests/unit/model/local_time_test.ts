import { createLocalTimeWriter } from "../../../shared/model/local_time.ts";
import { assertEquals, assertThrows } from "../../support/assert.ts";

function write(instant: string, timeZone: string): string {
  return createLocalTimeWriter(timeZone)(Date.parse(instant));
}

Deno.test("an instant is written as the zone's clocks show it, with the offset of that moment", () => {
  const written: readonly (readonly [instant: string, timeZone: string, local: string])[] = [
    ["2026-03-10T12:00:00.500Z", "America/Sao_Paulo", "2026-03-10T09:00:00.500-03:00"],
    ["2018-02-18T01:30:00Z", "America/Sao_Paulo", "2018-02-17T23:30:00.000-02:00"],
    ["2018-02-18T02:30:00Z", "America/Sao_Paulo", "2018-02-17T23:30:00.000-03:00"],
    ["2026-03-01T00:00:00Z", "UTC", "2026-03-01T00:00:00.000+00:00"],
    ["2026-12-31T18:15:00.007Z", "Asia/Kathmandu", "2027-01-01T00:00:00.007+05:45"],
    ["2026-01-01T03:29:59.999Z", "America/St_Johns", "2025-12-31T23:59:59.999-03:30"],
    ["2026-07-01T12:00:00Z", "Pacific/Kiritimati", "2026-07-02T02:00:00.000+14:00"],
    ["1969-12-31T23:59:59.250Z", "UTC", "1969-12-31T23:59:59.250+00:00"],
  ];
  for (const [instant, timeZone, local] of written) assertEquals(write(instant, timeZone), local);
});

Deno.test("what is written is the same instant again, in every zone", () => {
  for (const timeZone of Intl.supportedValuesOf("timeZone")) {
    const writeLocalTime = createLocalTimeWriter(timeZone);
    for (let instantMs = Date.UTC(2016, 0, 1); instantMs < Date.UTC(2028); instantMs += 40e9 + 7) {
      assertEquals(Date.parse(writeLocalTime(instantMs)), instantMs, timeZone);
    }
  }
});

Deno.test("an unknown zone is refused", () => {
  assertThrows(() => createLocalTimeWriter("America/Nowhere"), RangeError);
});
