/** Calls `send-message` again and again while a service is upgraded. */

import { setTimeout as delay } from "node:timers/promises";
import type { ServiceAnswer, ServiceProcess } from "../stack/service_process.ts";
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

/** Starts to send. The texts begin with `name`, and are all different. */
export function startSteadySender(
  service: ServiceProcess,
  instances: readonly LiveInstance[],
  name: string,
): SteadySender {
  const calls: SteadyCall[] = [];
  let isStopping = false;
  const send = async (): Promise<void> => {
    for (let number = 0; !isStopping; number++) {
      const instance = instances[number % instances.length] as LiveInstance;
      const text = `${name} ${number}`;
      const answer = await callWithKey(service, instance, "send-message", text, {
        instanceId: instance.instanceId,
        phone: `55119550${String(number % 100_000).padStart(5, "0")}`,
        messageType: "text",
        message: text,
        ...deliveries[number % deliveries.length],
      });
      calls.push({ text, answer });
      await delay(pauseMs);
    }
  };
  const sending = send();
  const stop = async (): Promise<void> => {
    isStopping = true;
    await sending;
  };
  return { calls, stop, [Symbol.asyncDispose]: stop };
}
