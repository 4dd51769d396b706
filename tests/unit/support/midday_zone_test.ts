import { assertEquals } from "../../support/assert.ts";
import { findDay, findMiddayZone } from "../../support/midday_zone.ts";

Deno.test("in the midday zone it is after twelve on the date of UTC, at whatever hour", () => {
  for (let hour = 0; hour < 24; hour++) {
    for (const day of [Date.UTC(2026, 11, 31), Date.UTC(2028, 1, 29)]) {
      const now = new Date(day + hour * 3_600_000 + 59 * 60_000);
      const clock = new Intl.DateTimeFormat("sv-SE", {
        ...{ dateStyle: "short", timeStyle: "short", timeZone: findMiddayZone(now) },
      });
      assertEquals(clock.format(now), `${now.toISOString().slice(0, 10)} 12:59`);
      // Hours later the date of UTC may be the next one.
      const later = new Date(now.getTime() + 11 * 3_600_000);
      assertEquals(findDay(findMiddayZone(now), later), now.toISOString().slice(0, 10));
    }
  }
});
