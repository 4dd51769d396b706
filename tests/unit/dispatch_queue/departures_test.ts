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

Deno.test("while the process is late, a fast number gives way, and one at 80 does not", async () => {
  const [fast, usual] = [400, 80] as const;
  const messages = (messagesPerSecond: number): Promise<number>[] => {
    const [instanceId, startedAt] = [crypto.randomUUID(), performance.now()];
    return Array.from(
      { length: 3 * messagesPerSecond },
      (_, place) =>
        awaitDeparture(
          instanceId,
          startedAt + place * 1_000 / messagesPerSecond,
          messagesPerSecond,
        ),
    );
  };
  const startedAt = performance.now();
  const lastOf = async (left: Promise<number>[]): Promise<number> =>
    Math.max(...await Promise.all(left)) - startedAt;
  const [usualMs, fastMs] = await Promise.all([
    lastOf(messages(usual)),
    lastOf(messages(fast)),
    blockFor(3_000),
  ]);
  assertGreaterOrEqual(fastMs, usualMs + 500, `${usualMs}, ${fastMs}`);
});

/** Leaves other work of the process 5 ms in 45. */
async function blockFor(durationMs: number): Promise<void> {
  const endsAt = performance.now() + durationMs;
  while (performance.now() < endsAt) {
    const blockedUntil = performance.now() + 40;
    while (performance.now() < blockedUntil);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
