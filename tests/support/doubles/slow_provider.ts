import { setTimeout as delay } from "node:timers/promises";
import { type HeldRequests, holdRequests } from "./held_requests.ts";
import { acceptMessage, type HttpDouble, startHttpDouble } from "./http_double.ts";

/** A provider that takes its time, and of which a test may keep an answer back. */
export type SlowProvider = HttpDouble & Pick<HeldRequests, "holdNext" | "holdNextOnes" | "release">;

/**
 * A provider that accepts everything after a delay. Disposing waits for pending responses, even when
 * their callers are gone.
 */
export function startSlowProvider(chooseDelayMs: () => number): SlowProvider {
  const underWay = new Set<Promise<void>>();
  const held = holdRequests(async (request) => {
    const pause = delay(chooseDelayMs());
    underWay.add(pause);
    await pause;
    underWay.delete(pause);
    return acceptMessage(request);
  });
  const double = startHttpDouble(held.answer);
  const stop = double[Symbol.asyncDispose];
  return Object.assign(double, {
    holdNext: held.holdNext,
    holdNextOnes: held.holdNextOnes,
    release: held.release,
    [Symbol.asyncDispose]: async () => {
      held.release();
      await Promise.all(underWay);
      await stop();
    },
  });
}
