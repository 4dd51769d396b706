import { ByteBudget } from "../../../shared/runtime/byte_budget.ts";
import { assert, assertEquals } from "../../support/assert.ts";

const long = 10_000;

/** Asks in turn. @returns the reservations, in the order in which they are granted. */
function askAll(
  budget: ByteBudget,
  asked: readonly (readonly [owner: string, bytes: number])[],
): string[] {
  const granted: string[] = [];
  for (const [owner, bytes] of asked) {
    budget.reserve(owner, bytes, long).then(() => granted.push(`${owner} ${bytes}`));
  }
  return granted;
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("reservations are granted in the order in which they were asked for, as bytes become free", async () => {
  const budget = new ByteBudget({ totalBytes: 10, ownerBytes: 10 });
  const first = await budget.reserve("a", 8, 0);
  const granted = askAll(budget, [["b", 5], ["c", 2]]);
  await settle();
  assertEquals(granted, [], "c would fit, and would let b wait for ever");
  first?.shrinkTo(5);
  await settle();
  assertEquals(granted, ["b 5"]);
  first?.release();
  await settle();
  assertEquals(granted, ["b 5", "c 2"]);
});

Deno.test("one that exceeds its owner's share holds up no other owner", async () => {
  const budget = new ByteBudget({ totalBytes: 10, ownerBytes: 4 });
  const first = await budget.reserve("a", 4, 0);
  const granted = askAll(budget, [["a", 1], ["b", 4]]);
  await settle();
  assertEquals(granted, ["b 4"]);
  first?.release();
  await settle();
  assertEquals(granted, ["b 4", "a 1"]);
});

Deno.test("more than an owner's share is granted as its share", async () => {
  const budget = new ByteBudget({ totalBytes: 10, ownerBytes: 4 });
  const whole = await budget.reserve("a", 100, 0);
  assert(whole !== null);
  assertEquals(await budget.reserve("a", 1, 0), null);
  whole.release();
  whole.release();
  assert(await budget.reserve("a", 4, 0) !== null);
  assertEquals(await budget.reserve("a", 1, 0), null, "released once");
});

Deno.test("one that times out gets nothing, and lets those behind it go", async () => {
  const budget = new ByteBudget({ totalBytes: 10, ownerBytes: 10 });
  await budget.reserve("a", 8, 0);
  const late = budget.reserve("b", 5, 1);
  const granted = askAll(budget, [["c", 2]]);
  assertEquals(await late, null);
  await settle();
  assertEquals(granted, ["c 2"]);
});
