import { createBackground } from "../../../shared/runtime/background.ts";
import { assertEquals } from "../../support/assert.ts";

interface RuntimeHost {
  EdgeRuntime?: { waitUntil(promise: Promise<unknown>): void } | undefined;
}

/** Runs one task under this runtime. @returns whether it ran, and the logged events. */
async function runUnder(
  runtime: RuntimeHost["EdgeRuntime"],
  task: () => Promise<unknown> = () => Promise.resolve(),
): Promise<{ hasRun: boolean; events: readonly string[] }> {
  const host = globalThis as RuntimeHost;
  const before = host.EdgeRuntime;
  const events: string[] = [];
  const log = { info: (): void => {}, error: (event: string): void => void events.push(event) };
  const ran = Promise.withResolvers<boolean>();
  host.EdgeRuntime = runtime;
  try {
    createBackground(log)(async () => {
      ran.resolve(true);
      await task();
    });
  } finally {
    host.EdgeRuntime = before;
  }
  const hasRun = await ran.promise;
  await new Promise((resolve) => setTimeout(resolve));
  return { hasRun, events };
}

Deno.test("the response and the background task survive a runtime whose waitUntil throws", async () => {
  const refusing = {
    waitUntil: (): never => {
      throw new Error("the request is over");
    },
  };
  assertEquals(await runUnder(refusing), { hasRun: true, events: ["wait_until_failed"] });
});

Deno.test("a failing background task is logged, with waitUntil and without", async () => {
  const fail = (): Promise<never> => Promise.reject(new Error("gone"));
  const waited: Promise<unknown>[] = [];
  const waiting = { waitUntil: (promise: Promise<unknown>): void => void waited.push(promise) };
  for (const runtime of [waiting, undefined]) {
    assertEquals(await runUnder(runtime, fail), {
      hasRun: true,
      events: ["background_task_failed"],
    });
  }
  assertEquals(waited.length, 1);
});
