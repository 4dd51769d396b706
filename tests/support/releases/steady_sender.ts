/** Calls `send-message` again and again while a service is upgraded. */

import { setTimeout as delay } from "node:timers/promises";
import type { ServiceAnswer, ServiceCalls } from "../stack/service_process.ts";
import { callWithKey, type LiveInstance } from "./live_service.ts";

/** A call and its answer. */
export interface SteadyCall {
  readonly text: string;
  readonly answer: ServiceAnswer;
}

export interface SteadySender extends AsyncDisposable {
  /** Answered calls. */
  readonly calls: readonly SteadyCall[];
  /** Makes no more calls and waits for the last one. */
  stop(): Promise<void>;
}

/** In turn: immediately, and by a dispatcher. */
const deliveries = [{}, { delayMessage: 0.3 }];
const pauseMs = 60;

/**
 * Starts to send. The texts begin with `name`, and are all different. A call that is answered 503, as a
 * busy machine may, is repeated once with its key: it has recorded nothing.
 *
 * @param repeatsFailures a call of 1.0.0 that runs at the instant in which a migration replaces its
 * functions is answered 500, and records nothing: the caller repeats it with its key.
 */
export function startSteadySender(
  service: ServiceCalls,
  instances: readonly LiveInstance[],
  { name, repeatsFailures }: { readonly name: string; readonly repeatsFailures: boolean },
): SteadySender {
  const calls: SteadyCall[] = [];
  let isStopping = false;
  const sendSteadily = async (): Promise<void> => {
    for (let number = 0; !isStopping; number++) {
      const instance = instances[number % instances.length] as LiveInstance;
      const text = `${name} ${number}`;
      const send = (): Promise<ServiceAnswer> =>
        callWithKey(service, instance, "send-message", text, {
          instanceId: instance.instanceId,
          phone: `55119550${String(number % 100_000).padStart(5, "0")}`,
          messageType: "text",
          message: text,
          ...deliveries[number % deliveries.length],
        });
      const first = await send();
      const isRepeated = first.status === 503 || repeatsFailures && first.status === 500;
      const answer = isRepeated ? await send() : first;
      calls.push({ text, answer });
      await delay(pauseMs);
    }
  };
  const sending = sendSteadily();
  const stop = async (): Promise<void> => {
    isStopping = true;
    await sending;
  };
  return { calls, stop, [Symbol.asyncDispose]: stop };
}
