import { awaitDeparture } from "../../../functions/dispatch-queue/departures.ts";
import { assertEquals, assertGreaterOrEqual } from "../../support/assert.ts";

Deno.test("however late a process is, it lets no more than the pace leave in any second", async () => {
  const left: number[] = [];
  const instanceId = crypto.randomUUID();
  // All of them are overdue: their process had no time for them.
  await Promise.all(Array.from({ length: 9 }, async () => {
    left.push(await awaitDeparture(instanceId, performance.now() - 5_000, 4));
  }));
  left.sort((one, other) => one - other);
  for (const [place, at] of left.entries()) {
    const later = left[place + 4];
    if (later !== undefined) assertGreaterOrEqual(later, at + 1_000, String(place));
  }
});

Deno.test("messages leave at their instants, and no instance waits for another", async () => {
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const order: string[] = [];
  const startedAt = performance.now();
  const leave = async (instanceId: string, name: string, afterMs: number): Promise<void> => {
    await awaitDeparture(instanceId, startedAt + afterMs, 80);
    assertGreaterOrEqual(performance.now(), startedAt + afterMs);
    order.push(name);
  };
  await Promise.all([
    leave(one, "1", 4_000),
    leave(one, "2", 10),
    leave(other, "3", 2_000),
  ]);
  assertEquals(order, ["2", "3", "1"]);
});

Deno.test("a pace that changes counts what has just left at the former one", async () => {
  const instanceId = crypto.randomUUID();
  const leave = async (
    messages: number,
    messagesPerSecond: number,
    apartMs = 0,
  ): Promise<number[]> => {
    const beganAt = performance.now();
    const left = Array.from(
      { length: messages },
      (_, place) => awaitDeparture(instanceId, beganAt + place * apartMs, messagesPerSecond),
    );
    return (await Promise.all(left)).sort((one, other) => one - other);
  };
  const fast = await leave(6, 6, 100);
  const [slow] = await leave(1, 3);
  assertGreaterOrEqual(slow ?? 0, (fast[3] ?? 0) + 1_000);
  const [first, second, third] = await leave(3, 3);
  assertGreaterOrEqual(first ?? 0, (fast[4] ?? 0) + 1_000);
  assertGreaterOrEqual(second ?? 0, (fast[5] ?? 0) + 1_000);
  assertGreaterOrEqual(third ?? 0, (slow ?? 0) + 1_000);
});
