import { listDistantDates, moveInstants } from "../../support/example_instants.ts";
import { assertEquals } from "../../support/assert.ts";

Deno.test("an example's instants move by whole days, months by months, and keep their form", () => {
  const example = {
    sendAt: "2026-11-24T09:00:00-03:00",
    at: ["2026-11-23T13:00:00.120Z", { holidays: ["2026-12-25"], from: "2026-11-01" }],
    month: "2026-11",
    seconds: 1_795_438_800,
    digits: "1795438862",
    milliseconds: 1_795_438_800_000,
  };
  const at = (instant: string): unknown => moveInstants(example, Date.parse(instant));
  assertEquals(at("2026-11-23T23:59:59Z"), example);
  assertEquals(at("2028-02-29T00:00:00Z"), {
    sendAt: "2028-03-01T09:00:00-03:00",
    at: ["2028-02-29T13:00:00.120Z", { holidays: ["2028-04-01"], from: "2028-02-07" }],
    month: "2028-02",
    seconds: 1_795_438_800 + 463 * 86_400,
    digits: `${1_795_438_862 + 463 * 86_400}`,
    milliseconds: 1_795_438_800_000 + 463 * 86_400_000,
  });
  assertEquals(moveInstants("2026-12", Date.parse("2027-12-01T00:00:00Z")), "2028-01");
});

Deno.test("ids, phones, limits, times of day and dates within a text stay", () => {
  const example = {
    id: "e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f01",
    phone: "5511988887777",
    challenge: "1158201444",
    size: 2_147_483_648,
    maximum: 1_000_000_000,
    limit: 20,
    isActive: true,
    start: "08:00",
    key: "crm-20261123-0001",
    evidence: "Call 4711, 2026-11-22",
    born: "1990-05-01",
    none: null,
  };
  assertEquals(moveInstants(example, Date.parse("2028-02-29T12:00:00Z")), example);
});

Deno.test("dates that are too far from the demo day to move are found", () => {
  const example = [{ at: "2028-01-01T00:00:00Z" }, "2024-02", "2026-12-25", "evening", 7];
  assertEquals(listDistantDates(example), ["2028-01-01T00:00:00Z", "2024-02"]);
});
