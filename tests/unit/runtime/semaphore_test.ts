import { Semaphore } from "../../../shared/runtime/semaphore.ts";
import { assert, assertEquals, assertFalse } from "../../support/assert.ts";

Deno.test("a released permit goes to the caller that waited longest, before a later caller", async () => {
  const semaphore = new Semaphore(1);
  assert(await semaphore.acquire(0));
  const order: string[] = [];
  const waiting = ["first", "second"].map(async (name) => {
    assert(await semaphore.acquire(10_000));
    order.push(name);
  });
  semaphore.release();
  const latecomer = semaphore.acquire(10_000).then(() => order.push("latecomer"));
  await waiting[0];
  semaphore.release();
  await waiting[1];
  semaphore.release();
  await latecomer;
  assertEquals(order, ["first", "second", "latecomer"]);
  assertFalse(semaphore.isIdle);
  semaphore.release();
  assert(semaphore.isIdle);
});

Deno.test("a caller that times out leaves the queue without a permit", async () => {
  const semaphore = new Semaphore(1);
  assert(await semaphore.acquire(0));
  assertFalse(await semaphore.acquire(1));
  semaphore.release();
  assert(semaphore.isIdle);
  assert(await semaphore.acquire(0));
});

Deno.test("a forced permit counts above the limit until as many have been released", async () => {
  const semaphore = new Semaphore(1);
  semaphore.forceAcquire();
  semaphore.forceAcquire();
  const waiting = semaphore.acquire(10_000);
  semaphore.release();
  assertEquals(await Promise.race([waiting, Promise.resolve("still waiting")]), "still waiting");
  semaphore.release();
  assert(await waiting);
});
