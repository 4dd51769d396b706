import { waitUntil } from "../support/wait_until.ts";
import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { startOnPort } from "./immediate_send_bench.ts";
import { messageText } from "./product_calls.ts";
import { post, type StackInstance, type StackProcess, startStackProcess } from "./stack_process.ts";
import { percentile } from "./statistics.ts";

const pictures = 1_000;
/** A busy gateway's pace. The cost of webhooks themselves is what the bench inbound measures. */
const webhooksPerSecond = 50;
const sendPauseMs = 50;
const quietSends = 150;

/**
 * Measures received pictures in the running stack: how long until all are stored, what the process needs
 * for it, and how much longer a send takes meanwhile.
 */
export const mediaBench: Bench = {
  name: "media",
  title:
    `${pictures} received pictures of 200 kB: until all are stored, memory, and the sends beside`,
  async run({ server, report }: BenchContext): Promise<void> {
    if (Deno.build.os !== "linux") return report.note("needs /proc");
    await using database = await server.createDatabase();
    await using double = await startOnPort("tests/bench/provider_double.ts", {});
    await using files = await startOnPort("tests/bench/picture_server.ts", {});
    await using stack = await startStackProcess(database);
    const [instance] = await stack.createInstances(1, double.origin) as [StackInstance];
    await sendWhile(stack, instance, countDown(quietSends));
    const quietMs = await sendWhile(stack, instance, countDown(quietSends));
    const before = readMib(stack.pid);
    let peak = before;
    const timer = setInterval(() => peak = Math.max(peak, readMib(stack.pid)), 100);
    const startedAt = performance.now();
    let isOver = false;
    const [besideMs] = await Promise.all([
      sendWhile(stack, instance, () => !isOver),
      receivePictures(stack, instance, files.origin)
        .then(() =>
          waitUntil(() => areStored(database), {
            timeoutMs: 300_000,
            intervalMs: 200,
            what: "the pictures",
          })
        )
        .finally(() => isOver = true),
    ]).finally(() => clearInterval(timer));
    const seconds = (performance.now() - startedAt) / 1_000;
    quietMs.push(...await sendWhile(stack, instance, countDown(quietSends)));
    report.figure({ what: "until all pictures are stored", value: seconds, unit: "s" });
    report.figure({ what: "pictures stored", value: pictures / seconds, unit: "a second" });
    report.figure({ what: "the stack's memory before", value: before, unit: "MiB" });
    report.figure({ what: "the stack's memory at most", value: peak, unit: "MiB" });
    report.comparison({
      what: "an immediate send, p95, beside the pictures : quiet",
      over: [percentile(besideMs, 95)],
      under: [percentile(quietMs, 95)],
      names: ["beside the pictures", "quiet"],
      unit: "ms",
      bar: { kind: "at most", value: 1.3 },
    });
    report.note(`${besideMs.length} sends beside, ${quietMs.length} quiet`);
  },
};

function countDown(count: number): () => boolean {
  let rest = count;
  return () => rest-- > 0;
}

/** Sends one message after the other. @returns how long each took, in milliseconds. */
async function sendWhile(
  stack: StackProcess,
  instance: StackInstance,
  goesOn: () => boolean,
): Promise<number[]> {
  const durations: number[] = [];
  while (goesOn()) {
    const startedAt = performance.now();
    const phone = String(5_521_990_000_000 + durations.length % 100);
    await stack.send(instance, { phone, messageType: "text", message: messageText });
    durations.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, sendPauseMs));
  }
  return durations;
}

async function receivePictures(
  stack: StackProcess,
  { instanceId }: StackInstance,
  origin: string,
): Promise<void> {
  const webhook =
    `${stack.origin}/functions/v1/provider-webhook/zapi/${instanceId}/bench-webhook-secret-0123456789`;
  const startedAt = performance.now();
  const delivered: Promise<unknown>[] = [];
  for (let number = 0; number < pictures; number += 1) {
    delivered.push(post(webhook, {}, {
      ...{ type: "ReceivedCallback", instanceId: "BENCH0", messageId: `picture-${number}` },
      ...{ phone: String(5_531_990_000_000 + number % 200), fromMe: false, isGroup: false },
      ...{ momment: Date.now(), status: "RECEIVED", senderName: "Maria" },
      image: { imageUrl: `${origin}/${number}.jpg`, mimeType: "image/jpeg" },
    }));
    const dueAt = startedAt + delivered.length * 1_000 / webhooksPerSecond;
    await new Promise((resolve) => setTimeout(resolve, Math.max(dueAt - performance.now(), 0)));
  }
  await Promise.all(delivered);
}

async function areStored({ admin }: BenchDatabase): Promise<boolean> {
  const [row] = await admin<{ stored: number }[]>`
    select count(*)::int as stored from messaging.media where status = 'stored'`;
  return row?.stored === pictures;
}

/** Resident set size in MiB. */
function readMib(pid: number): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}
