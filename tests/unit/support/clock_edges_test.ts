import { assertEquals } from "../../support/assert.ts";
import { untilNextMonth } from "../../support/clock_edges.ts";

Deno.test("a month's end is waited for in UTC and in São Paulo when it is near, and never otherwise", () => {
  const waits = ([
    ["2026-11-30T23:57:59Z", 0],
    ["2026-11-30T23:58:01Z", 119_000],
    ["2026-12-01T00:00:00Z", 0],
    ["2026-12-01T02:59:59Z", 1_000],
    ["2026-12-01T03:00:00Z", 0],
    ["2026-12-31T23:59:00Z", 60_000],
    ["2026-11-23T23:59:59Z", 0],
  ] as const).map(([instant, waitMs]) => [instant, untilNextMonth(Date.parse(instant)), waitMs]);
  assertEquals(waits.filter(([, waited, waitMs]) => waited !== waitMs), []);
});
