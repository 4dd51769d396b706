import type { Database } from "../../../shared/database/database.ts";
import { endTurns, runPayments } from "../../../shared/messages/maintenance.ts";
import { assertEquals } from "../../support/assert.ts";

type Run = { readonly expired: number; readonly isComplete: boolean };

/** Runs payments over these answers, the last of them for ever. @returns the sum, and how often it was asked. */
async function run(...answers: readonly Run[]): Promise<readonly [expired: number, calls: number]> {
  let calls = 0;
  const database = {
    rpc: () => Promise.resolve(answers[Math.min(calls++, answers.length - 1)]),
  } as unknown as Database;
  const { expired } = await runPayments(database);
  return [expired, calls];
}

Deno.test("payments end a batch after another, until none is due or others hold what is", async () => {
  const full = { expired: 500, isComplete: false };
  assertEquals(await run({ expired: 3, isComplete: true }), [3, 1]);
  assertEquals(await run(full, full, { expired: 2, isComplete: true }), [1_002, 3]);
  assertEquals(await run(full, { expired: 0, isComplete: false }), [500, 2]);
});

Deno.test("one run ends 20 batches of payments at most", async () => {
  assertEquals(await run({ expired: 500, isComplete: false }), [10_000, 20]);
});

/** Ends turns of which there are always more. Returns after how many steps that stopped. */
async function countSteps(isOver: (steps: number) => boolean): Promise<number> {
  let steps = 0;
  const database = {
    rpc: () => {
      steps += 1;
      return Promise.resolve({ ended: 50, isComplete: false });
    },
  } as unknown as Database;
  await endTurns(database, () => isOver(steps));
  return steps;
}

Deno.test("one call ends a thousand turns at most, and begins no further step once its run is over", async () => {
  assertEquals(await countSteps(() => false), 20);
  assertEquals(await countSteps((steps) => steps === 3), 3);
  assertEquals(await countSteps(() => true), 1);
});
