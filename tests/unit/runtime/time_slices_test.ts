import { mapInSlices } from "../../../shared/runtime/time_slices.ts";
import { assert, assertEquals } from "../../support/assert.ts";

function work(ms: number): void {
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt);
}

Deno.test("work on a long list gives way after each slice, and keeps the order of its results", async () => {
  let turns = 0;
  let isOver = false;
  const other = (async () => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      turns += 1;
    }
  })();
  const results = await mapInSlices("a", [3, 1, 2, 5, 4, 6], (item, index) => {
    work(15);
    return `${index}:${item}`;
  });
  assert(turns >= 5, `${turns} turns`);
  isOver = true;
  await other;
  assertEquals(results, ["0:3", "1:1", "2:2", "3:5", "4:4", "5:6"]);
});

Deno.test("a short list waits for nobody", async () => {
  let isOver = false;
  const timer = setTimeout(() => isOver = true, 0);
  assertEquals(await mapInSlices("a", [1, 2, 3], (item) => item + 1), [2, 3, 4]);
  assertEquals(isOver, false);
  clearTimeout(timer);
});

Deno.test("what an item throws ends the work", async () => {
  const tried: number[] = [];
  const failure = await mapInSlices("a", [1, 2, 3], (item) => {
    tried.push(item);
    if (item === 2) throw new Error("2");
  }).catch((error) => error);
  assertEquals([failure.message, tried], ["2", [1, 2]]);
});

Deno.test("long work of one owner, however much, delays that of another by no more than its turns", async () => {
  const order: string[] = [];
  const map = (owner: string, items: number): Promise<unknown> =>
    mapInSlices(owner, Array.from({ length: items }), () => {
      work(2);
      order.push(owner);
    });
  const many = Array.from({ length: 20 }, () => map("many", 4));
  const few = [map("few", 4), map("other", 4)];
  await Promise.all(few);
  // Each piece begins at once; then the three owners take turns, in place of all sixty.
  const meanwhile = order.filter((owner) => owner === "many").length - many.length;
  assert(meanwhile <= 8, `${meanwhile} items of the first owner before the last of the others`);
  await Promise.all(many);
  assertEquals(order.length, 22 * 4);
});
