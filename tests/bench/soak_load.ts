/**
 * A worker that makes calls of one kind at a steady pace, whether or not the former ones are answered. It
 * posts what it has measured each time it is asked.
 */

import { messageText } from "./product_calls.ts";
import { post, type StackInstance } from "./stack_process.ts";
import { composeMessage, webhookSecret } from "./webhook_side.ts";

/** An instance of the stack and its number, see `createInstance`. */
export interface NumberedInstance extends StackInstance {
  readonly number: number;
}

export interface SteadyLoad {
  readonly kind: "send" | "paced" | "webhook";
  readonly origin: string;
  readonly instances: readonly NumberedInstance[];
  readonly perSecond: number;
  /** Different contacts, each of one instance: a multiple of the number of instances. */
  readonly persons: number;
  /** Of a paced message. */
  readonly intervalSeconds: number;
}

/** What was measured since the last report. */
export interface LoadReport {
  readonly answered: number;
  /** Why calls have failed. */
  readonly failures: readonly string[];
  /** From when a call was due to its answer. */
  readonly latenciesMs: readonly number[];
  /** From when a call was due to when it was made: what this worker itself is late. */
  readonly lagsMs: readonly number[];
}

declare const self: {
  onmessage: (event: MessageEvent<SteadyLoad | "report">) => void;
  postMessage(report: LoadReport): void;
};

let measured = startReport();

function startReport(): {
  answered: number;
  readonly failures: string[];
  readonly latenciesMs: number[];
  readonly lagsMs: number[];
} {
  return { answered: 0, failures: [], latenciesMs: [], lagsMs: [] };
}

self.onmessage = ({ data }): void => {
  if (data === "report") {
    self.postMessage(measured);
    measured = startReport();
  } else makeCalls(data);
};

async function makeCalls(load: SteadyLoad): Promise<never> {
  const startedAt = performance.now();
  for (let tick = 0;; tick++) {
    const dueAt = startedAt + tick * 1_000 / load.perSecond;
    const waitMs = dueAt - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    measured.lagsMs.push(performance.now() - dueAt);
    call(load, tick).then(() => {
      measured.answered += 1;
      measured.latenciesMs.push(performance.now() - dueAt);
    }, (error: Error) => {
      measured.failures.push(`after ${Math.round(performance.now() - dueAt)} ms ${error.message}`);
    });
  }
}

function call(load: SteadyLoad, tick: number): Promise<unknown> {
  const { kind, origin, instances, persons, intervalSeconds } = load;
  const instance = instances[tick % instances.length] as NumberedInstance;
  const { instanceId, clientToken, number } = instance;
  const person = tick % persons;
  if (kind === "webhook") {
    return post(
      `${origin}/functions/v1/provider-webhook/zapi/${instanceId}/${webhookSecret}`,
      {},
      { instanceId: `BENCH${number}`, ...composeMessage(tick, person) },
    );
  }
  return post(`${origin}/functions/v1/send-message`, { "x-client-token": clientToken }, {
    ...{ instanceId, phone: String(5_521_900_000_000 + person) },
    ...{ messageType: "text", message: messageText },
    ...(kind === "paced" ? { queued: true, intervalSeconds } : {}),
  });
}
