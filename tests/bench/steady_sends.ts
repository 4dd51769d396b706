/** A worker that sends at a steady pace. It posts how long each send took, in milliseconds. */

import { post, type StackInstance } from "./stack_process.ts";

export interface SteadySends {
  /** Of send-message. */
  readonly url: string;
  readonly instance: StackInstance;
  readonly perSecond: number;
  readonly seconds: number;
}

self.onmessage = async ({ data }: MessageEvent<SteadySends>): Promise<void> => {
  self.postMessage(await sendSteadily(data));
};

declare const self: {
  onmessage: (event: MessageEvent<SteadySends>) => Promise<void>;
  postMessage(latenciesMs: readonly number[]): void;
};

/** Sends whether or not the former ones are answered. A refused one fails. */
async function sendSteadily(
  { url, instance: { instanceId, clientToken }, perSecond, seconds }: SteadySends,
): Promise<number[]> {
  const latenciesMs: number[] = [];
  const work: Promise<unknown>[] = [];
  const startedAt = performance.now();
  for (let tick = 0; tick < seconds * perSecond; tick++) {
    const dueAt = startedAt + tick * 1_000 / perSecond;
    await new Promise((resolve) => setTimeout(resolve, Math.max(dueAt - performance.now(), 0)));
    work.push(
      post(url, { "x-client-token": clientToken }, {
        ...{ instanceId, phone: String(5_521_990_000_000 + tick % 100) },
        ...{ messageType: "text", message: "Olá!" },
      }).then(() => latenciesMs.push(performance.now() - dueAt)),
    );
  }
  await Promise.all(work);
  return latenciesMs;
}
