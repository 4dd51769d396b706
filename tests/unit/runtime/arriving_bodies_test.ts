import { ArrivalError, ArrivingBodies } from "../../../shared/runtime/arriving_bodies.ts";
import { assert, assertEquals, assertFalse, assertRejects } from "../../support/assert.ts";
import { holdTimers } from "../../support/held_timers.ts";

/** Lengths that nothing else uses. */
const limits = {
  maxBodies: 2,
  silenceMs: 10_017,
  unhurriedMs: 30_017,
  leastBytesPerSecond: 1_000,
} as const;

/** A part that never comes. */
const never = <Part>(): Promise<Part> => new Promise<Part>(() => {});

Deno.test("a part that comes is given, and its fault too, and nothing of the waiting is left", async () => {
  const bodies = new ArrivingBodies(limits);
  const arrival = bodies.begin();
  assertEquals(await arrival.wait(Promise.resolve("part")), "part");
  const fault = new Error("the connection is lost");
  assertEquals(await assertRejects(() => arrival.wait(Promise.reject(fault)), Error), fault);
  assertEquals(bodies.count, 0);
  assertFalse(bodies.displaceOne());
});

Deno.test("a sender that is silent for the time of a silence ends its body, whatever came before", async () => {
  using silences = holdTimers(limits.silenceMs);
  const bodies = new ArrivingBodies(limits);
  const arrival = bodies.begin();
  arrival.add(100_000_000);
  const waiting = assertRejects(() => arrival.wait(never()), ArrivalError);
  assertEquals(silences.count(), 1);
  silences.end();
  assertEquals((await waiting).fault, "timed_out");
  assertEquals(bodies.count, 0);
});

Deno.test("a body at the least pace goes on beyond the time of any pace, and a slower one ends there", async () => {
  for (const [bytes, ends] of [[0, true], [1_000_000, false]] as const) {
    // No time is left to a body that has been waited for longer than it may take.
    const arrival = new ArrivingBodies({ ...limits, silenceMs: 60_000, unhurriedMs: 1 }).begin();
    arrival.add(bytes);
    await arrival.wait(new Promise((resolve) => setTimeout(resolve, ends ? 0 : 20)))
      .catch(() => {});
    const later = arrival.wait(new Promise((resolve) => setTimeout(resolve, 50)));
    const result = await later.then(() => "arrived", (error: ArrivalError) => error.fault);
    assertEquals(result, ends ? "timed_out" : "arrived");
  }
});

Deno.test("beyond the most bodies the sender that has been silent the longest makes room", async () => {
  const bodies = new ArrivingBodies(limits);
  const ended: string[] = [];
  const wait = (name: string, part: Promise<unknown> = never()): Promise<unknown> =>
    bodies.begin().wait(part).catch(({ fault }: ArrivalError) => ended.push(`${name} ${fault}`));
  const first = wait("first");
  const part = Promise.withResolvers<void>();
  const second = wait("second", part.promise);
  const third = wait("third");
  await first;
  assertEquals([ended, bodies.count], [["first displaced"], 2]);
  part.resolve();
  await second;
  assertEquals([ended, bodies.count], [["first displaced"], 1]);
  assert(bodies.displaceOne());
  await third;
  assertEquals([ended, bodies.count], [["first displaced", "third displaced"], 0]);
});

Deno.test("a body that is ended from outside ends its waiting, also one that begins later", async () => {
  const arrival = new ArrivingBodies(limits).begin();
  const fault = new Error("no memory");
  const waiting = assertRejects(() => arrival.wait(never()), Error);
  arrival.fail(fault);
  assertEquals(await waiting, fault);
  assertEquals(await assertRejects(() => arrival.wait(Promise.resolve()), Error), fault);
});
