import { setTimeout as delay } from "node:timers/promises";
import { acceptMessage, type HttpDouble, startHttpDouble } from "./http_double.ts";

/**
 * A provider that accepts everything after a delay. Disposing waits for pending responses, even when
 * their callers are gone.
 */
export function startSlowProvider(chooseDelayMs: () => number): HttpDouble {
  const underWay = new Set<Promise<void>>();
  const double = startHttpDouble(async (request) => {
    const pause = delay(chooseDelayMs());
    underWay.add(pause);
    await pause;
    underWay.delete(pause);
    return acceptMessage(request);
  });
  const stop = double[Symbol.asyncDispose];
  return Object.assign(double, {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(underWay);
      await stop();
    },
  });
}
