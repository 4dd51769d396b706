import { waitUntil } from "../support/wait_until.ts";
import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { startOnPort } from "./immediate_send_bench.ts";
import { canReadCpu, readProcessCpuSeconds, readServerCpuSeconds } from "./process_cpu.ts";
import { messageText } from "./product_calls.ts";
import type { Report } from "./report.ts";
import { post, type StackInstance, type StackProcess, startStackProcess } from "./stack_process.ts";
import { percentile } from "./statistics.ts";

const pictures = 1_000;
/** A busy gateway's pace. The cost of webhooks themselves is what the bench inbound measures. */
const webhooksPerSecond = 50;
/** Short enough for 30 sends a second: a p95 of a phase is of more than 100. */
const sendPauseMs = 25;

const sides = ["quiet", "texts", "pictures"] as const;
type Side = typeof sides[number];

/** What is measured of the phases of one side. */
interface Measured {
  /** Of each phase. */
  readonly p95Ms: number[];
  sends: number;
  seconds: number;
  stackCpuSeconds: number;
  serverCpuSeconds: number;
}

/**
 * Measures received pictures in the running stack: how long until all are stored, what the process needs
 * for it, and how much longer a send takes meanwhile. Quiet phases, phases with as many received texts,
 * and phases with the pictures take turns.
 */
export const mediaBench: Bench = {
  name: "media",
  title:
    `${pictures} received pictures of 200 kB: until all are stored, memory, and the sends beside`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    if (!canReadCpu) return report.note("needs /proc");
    await using database = await server.createDatabase();
    await using double = await startOnPort("tests/bench/provider_double.ts", {});
    await using files = await startOnPort("tests/bench/picture_server.ts", {});
    await using stack = await startStackProcess(database);
    const [instance] = await stack.createInstances(1, double.origin) as [StackInstance];
    const world: World = { database, stack, instance, fileOrigin: files.origin, received: 0 };
    const each = Math.ceil(pictures / sizes.rounds);
    // Warm-up.
    for (const side of sides) await measurePhase(world, side, each, newMeasured());
    const before = readMib(stack.pid);
    let peak = before;
    const timer = setInterval(() => peak = Math.max(peak, readMib(stack.pid)), 100);
    const measured = { quiet: newMeasured(), texts: newMeasured(), pictures: newMeasured() };
    try {
      for (let round = 0; round < sizes.rounds; round += 1) {
        for (const side of sides) await measurePhase(world, side, each, measured[side]);
      }
    } finally {
      clearInterval(timer);
    }
    reportSides(report, measured, each * sizes.rounds);
    report.figure({ what: "the stack's memory before", value: before, unit: "MiB" });
    report.figure({ what: "the stack's memory at most", value: peak, unit: "MiB" });
  },
};

function newMeasured(): Measured {
  return { p95Ms: [], sends: 0, seconds: 0, stackCpuSeconds: 0, serverCpuSeconds: 0 };
}

interface World {
  readonly database: BenchDatabase;
  readonly stack: StackProcess;
  readonly instance: StackInstance;
  readonly fileOrigin: string;
  received: number;
}

/** One phase: sends, and beside them `count` webhooks of that side, until all they bring is stored. */
async function measurePhase(
  world: World,
  side: Side,
  count: number,
  measured: Measured,
): Promise<void> {
  const { database, stack } = world;
  const stackCpu = await readProcessCpuSeconds(stack.pid);
  const serverCpu = await readServerCpuSeconds(database.admin);
  const startedAt = performance.now();
  let isOver = false;
  const [sendMs] = await Promise.all([
    sendWhile(stack, world.instance, () => !isOver),
    receive(world, side, count)
      .then(() =>
        waitUntil(() => isNothingPending(database), {
          timeoutMs: 300_000,
          intervalMs: 100,
          what: "the pictures",
        })
      )
      .finally(() => isOver = true),
  ]);
  measured.seconds += (performance.now() - startedAt) / 1_000;
  measured.stackCpuSeconds += await readProcessCpuSeconds(stack.pid) - stackCpu;
  measured.serverCpuSeconds += await readServerCpuSeconds(database.admin) - serverCpu;
  measured.p95Ms.push(percentile(sendMs, 95));
  measured.sends += sendMs.length;
}

function reportSides(
  report: Report,
  { quiet, texts, pictures }: Readonly<Record<Side, Measured>>,
  count: number,
): void {
  report.figure({ what: `until ${count} pictures are stored`, value: pictures.seconds, unit: "s" });
  report.figure({ what: "pictures stored", value: count / pictures.seconds, unit: "a second" });
  const unit = "ms of processor time";
  report.figure({
    what: "a picture beside a text, in the stack's process",
    value: (pictures.stackCpuSeconds - texts.stackCpuSeconds) * 1_000 / count,
    unit,
  });
  report.figure({
    what: "a picture beside a text, in Postgres",
    value: (pictures.serverCpuSeconds - texts.serverCpuSeconds) * 1_000 / count,
    unit,
  });
  report.comparison({
    what: "an immediate send, p95, beside the pictures : quiet",
    over: pictures.p95Ms,
    under: quiet.p95Ms,
    names: ["beside the pictures", "quiet"],
    unit: "ms",
    bar: { kind: "at most", value: 1.3 },
  });
  report.comparison({
    what: "an immediate send, p95, beside as many texts : quiet",
    over: texts.p95Ms,
    under: quiet.p95Ms,
    names: ["beside the texts", "quiet"],
    unit: "ms",
  });
  report.note(`${pictures.sends} sends beside the pictures, ${quiet.sends} quiet`);
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

/** Delivers webhooks at the gateway's pace. A quiet phase only takes as long. */
async function receive(world: World, side: Side, count: number): Promise<void> {
  const { instance, stack, fileOrigin } = world;
  const webhook =
    `${stack.origin}/functions/v1/provider-webhook/zapi/${instance.instanceId}/bench-webhook-secret-0123456789`;
  const startedAt = performance.now();
  const delivered: Promise<unknown>[] = [];
  for (let place = 1; place <= count; place += 1) {
    const number = world.received++;
    const content = side === "texts"
      ? { text: { message: messageText } }
      : { image: { imageUrl: `${fileOrigin}/${number}.jpg`, mimeType: "image/jpeg" } };
    if (side !== "quiet") {
      delivered.push(post(webhook, {}, {
        ...{ type: "ReceivedCallback", instanceId: "BENCH0", messageId: `message-${number}` },
        ...{ phone: String(5_531_990_000_000 + number % 200), fromMe: false, isGroup: false },
        ...{ momment: Date.now(), status: "RECEIVED", senderName: "Maria" },
        ...content,
      }));
    }
    const dueAt = startedAt + place * 1_000 / webhooksPerSecond;
    await new Promise((resolve) => setTimeout(resolve, Math.max(dueAt - performance.now(), 0)));
  }
  await Promise.all(delivered);
}

async function isNothingPending({ admin }: BenchDatabase): Promise<boolean> {
  const pending = await admin`select from messaging.media where status = 'pending' limit 1`;
  const failed = await admin`select from messaging.media where status = 'failed' limit 1`;
  if (failed.length > 0) throw new Error("a picture was not stored");
  return pending.length === 0;
}

/** Resident set size in MiB. */
function readMib(pid: number): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}
