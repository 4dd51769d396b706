import { countRoom, FairSemaphore } from "../../../shared/runtime/fair_semaphore.ts";
import { assert, assertEquals } from "../../support/assert.ts";

type Release = () => void;

/** Asks for as many permits at once. @returns those that are granted at once, and all requests. */
async function ask(
  semaphore: FairSemaphore,
  owner: string,
  count: number,
): Promise<{ readonly granted: Release[]; readonly asked: readonly Promise<Release | null>[] }> {
  const granted: Release[] = [];
  const asked = Array.from({ length: count }, async () => {
    const release = await semaphore.acquire(owner, 60_000);
    if (release !== null) granted.push(release);
    return release;
  });
  await settle();
  return { granted, asked };
}

/** Lets what can go on go on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

/** Releases permits until nobody waits or holds one. */
async function drain(groups: readonly Release[][]): Promise<void> {
  while (groups.some((group) => group.length > 0)) {
    for (const group of groups) group.shift()?.();
    await settle();
  }
}

Deno.test("an owner that asks for more than all leaves half of the permits to others", async () => {
  const semaphore = new FairSemaphore(250);
  const greedy = await ask(semaphore, "greedy", 300);
  assertEquals(greedy.granted.length, 125);
  const others = await Promise.all(
    ["b", "c", "d"].map((owner) => ask(semaphore, owner, 30)),
  );
  assertEquals(others.map(({ granted }) => granted.length), [30, 30, 30]);
  await drain([greedy, ...others].map(({ granted }) => granted));
  assert(semaphore.isIdle);
});

Deno.test("while others wait nobody gets more than a fifth", async () => {
  const semaphore = new FairSemaphore(250);
  const greedy = await ask(semaphore, "greedy", 300);
  const others = await Promise.all(
    ["b", "c", "d", "e"].map((owner) => ask(semaphore, owner, 100)),
  );
  for (let place = 0; place < 200; place++) {
    greedy.granted.shift()?.();
    await settle();
  }
  // What it released went to the others, until each has its fifth.
  const held = others.map(({ granted }) => granted.length);
  assert(held.every((permits) => permits >= 50), JSON.stringify(held));
  assert(greedy.granted.length <= 50, `${greedy.granted.length}`);
  await drain([greedy, ...others].map(({ granted }) => granted));
});

Deno.test("owners that wait take turns, each with its callers in their order", async () => {
  const semaphore = new FairSemaphore(5);
  const holders = await Promise.all(
    ["v", "w", "x", "y", "z"].map((owner) => ask(semaphore, owner, 1)),
  );
  const order: string[] = [];
  const queue = (owner: string): Promise<void>[] =>
    [1, 2, 3].map(async (number) => {
      const release = await semaphore.acquire(owner, 60_000);
      order.push(`${owner}${number}`);
      release?.();
    });
  const waiting = [...queue("a"), ...queue("b"), ...queue("c")];
  holders[0]?.granted[0]?.();
  await Promise.all(waiting);
  assertEquals(order.join(" "), "a1 b1 c1 a2 b2 c2 a3 b3 c3");
  for (const { granted } of holders.slice(1)) granted[0]?.();
  assert(semaphore.isIdle);
});

Deno.test("what an owner forces beyond its fifth takes nothing from the others", async () => {
  const semaphore = new FairSemaphore(10);
  const forced = Array.from({ length: 30 }, () => semaphore.forceAcquire("greedy"));
  const other = await ask(semaphore, "other", 2);
  const third = await ask(semaphore, "third", 2);
  assertEquals([other.granted.length, third.granted.length], [2, 2]);
  const more = await ask(semaphore, "greedy", 1);
  assertEquals(more.granted.length, 0);
  for (const release of forced) release();
  await settle();
  assertEquals(more.granted.length, 1);
  await drain([other, third, more].map(({ granted }) => granted));
  assert(semaphore.isIdle);
});

Deno.test("a caller that times out leaves the queue without a permit", async () => {
  const semaphore = new FairSemaphore(1);
  const first = await semaphore.acquire("a", 0);
  assertEquals(await semaphore.acquire("b", 1), null);
  first?.();
  assert(semaphore.isIdle);
  (await semaphore.acquire("b", 0))?.();
});

Deno.test("an owner has its fifth however few are free, and beyond it as many as it leaves", () => {
  assertEquals(
    [[0, 250], [0, 1], [49, 1], [30, 90], [50, 50], [50, 51], [125, 125], [200, 10], [10, 0]]
      .map(([held = 0, free = 0]) => countRoom(held, free, 250)),
    [125, 1, 1, 30, 0, 1, 0, 0, 0],
  );
});
