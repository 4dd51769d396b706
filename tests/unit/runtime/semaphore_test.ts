import { Semaphore } from "../../../shared/runtime/semaphore.ts";
import { assert, assertEquals, assertFalse } from "../../support/assert.ts";

Deno.test("a place that is given back goes to who waits longest, before anybody who comes later", async () => {
  const places = new Semaphore(1);
  assert(await places.take(0));
  const order: string[] = [];
  const waiting = ["first", "second"].map(async (name) => {
    assert(await places.take(10_000));
    order.push(name);
  });
  places.leave();
  const latecomer = places.take(10_000).then(() => order.push("latecomer"));
  await waiting[0];
  places.leave();
  await waiting[1];
  places.leave();
  await latecomer;
  assertEquals(order, ["first", "second", "latecomer"]);
  assertFalse(places.areAllFree);
  places.leave();
  assert(places.areAllFree);
});

Deno.test("who waits in vain leaves the line and takes nothing", async () => {
  const places = new Semaphore(1);
  assert(await places.take(0));
  assertFalse(await places.take(1));
  places.leave();
  assert(places.areAllFree);
  assert(await places.take(0));
});

Deno.test("whoever squeezes in is one too many until as many have left", async () => {
  const places = new Semaphore(1);
  places.forceAcquire();
  places.forceAcquire();
  const waiting = places.take(10_000);
  places.leave();
  assertEquals(await Promise.race([waiting, Promise.resolve("still waiting")]), "still waiting");
  places.leave();
  assert(await waiting);
});
