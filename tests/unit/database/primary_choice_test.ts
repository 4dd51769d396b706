import { choosePrimary, type ServerAnswer } from "../../../shared/database/primary_choice.ts";
import { assertEquals } from "../../support/assert.ts";

const primary = (timeline: number, systemIdentifier = "7"): ServerAnswer => ({
  ...{ isStandby: false, isReadOnly: false, systemIdentifier, timeline },
});
const standby: ServerAnswer = { ...primary(1), isStandby: true, timeline: null };
const dead = { code: "ECONNREFUSED" };
const seen = { systemIdentifier: "7", timeline: 2 };

Deno.test("the one that takes writes is chosen, wherever it stands in the list", () => {
  assertEquals(choosePrimary([primary(1), standby], null, null).place, 0);
  assertEquals(choosePrimary([standby, primary(1)], null, null).place, 1);
  assertEquals(choosePrimary([dead, standby, primary(3)], seen, 1).place, 2);
});

Deno.test("of two that take writes it is the one of the higher timeline, also where the other one is in use", () => {
  const choice = choosePrimary([primary(1), primary(2)], null, 0);
  assertEquals([choice.place, choice.seen], [1, { systemIdentifier: "7", timeline: 2 }]);
});

Deno.test("a server of before a promotion, or of another cluster, is never chosen", () => {
  assertEquals(choosePrimary([primary(1), dead], seen, null), {
    ...{ place: null, seen },
    reasons: ["is a former primary, of before a promotion", "does not answer (ECONNREFUSED)"],
  });
  assertEquals(choosePrimary([primary(9, "8"), standby], seen, null).reasons, [
    "is of another cluster",
    "is a standby",
  ]);
});

Deno.test("one that only reads is not written to, and the server in use is kept where two are equal", () => {
  const readOnly = { ...primary(2), isReadOnly: true };
  assertEquals(choosePrimary([readOnly, standby], seen, 0).place, null);
  assertEquals(choosePrimary([primary(2), primary(2)], seen, 1).place, 1);
});
