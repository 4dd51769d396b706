import { assertEquals } from "../../support/assert.ts";
import { listInstantFaults } from "../../support/stack/instant_forms.ts";

Deno.test("an instant of an answer in another form than its kind's is found, at every depth", () => {
  const wrong = [
    ...["2026-11-23T10:00:00Z", "2026-11-23T10:00:00.000000Z", "2026-11-23T10:00:00.000+00:00"],
    ...["2026-11-23 10:00:00.123+00", "2026-11-23T10:00:00.000-03:00", "2026-11-23T10:00"],
  ];
  for (const at of wrong) {
    assertEquals(listInstantFaults({ items: [{ at }] }, "messages-api"), [
      `answer.items.0.at: ${at}`,
    ]);
  }
  const right = { at: "2026-11-23T10:00:00.000Z", day: "2026-11-23", start: "08:00", id: "2026" };
  assertEquals(listInstantFaults(right, "messages-api"), []);
});

Deno.test("scheduledFor has the offset of its instance, and of a batch it is in UTC", () => {
  const zoned = { scheduledFor: "2026-11-23T10:00:00.000-03:00" };
  const inUtc = { scheduledFor: "2026-11-23T13:00:00.000Z" };
  const count = (answer: object, slug: string): number => listInstantFaults(answer, slug).length;
  assertEquals([count(zoned, "send-message"), count(inUtc, "send-message")], [0, 1]);
  assertEquals([count(zoned, "batches-api"), count(inUtc, "batches-api")], [1, 0]);
});

Deno.test("what others have written is answered as it was written", () => {
  const at = "2026-11-23T10:00:00Z";
  assertEquals(listInstantFaults({ metadata: { at }, message: at, name: at }, "messages-api"), []);
});
