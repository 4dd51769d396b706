import { waitUntil } from "../support/wait_until.ts";
import type { Bench, BenchContext } from "./bench.ts";
import { startOnPort } from "./immediate_send_bench.ts";
import { measureRate } from "./official_rate.ts";
import { messageText } from "./product_calls.ts";
import {
  createInstance,
  post,
  type StackInstance,
  type StackProcess,
  startStackProcess,
} from "./stack_process.ts";
import { percentile } from "./statistics.ts";

const messagesPerSecond = 80;
/** 125 s at the pace, and at most a tenth more. */
const people = 10_000;
const barSeconds = 138;
/** As long as the official channel takes for a message, in milliseconds. */
const providerMs = 300;
const sendPauseMs = 25;
const phaseMs = 10_000;
const recipientsPerCall = 1_000;

/** An official number at full speed, and the single sends of another instance beside it. */
export const officialPaceBench: Bench = {
  name: "official_pace",
  title:
    `Official pace: ${people} recipients at ${messagesPerSecond} a second, and who sends beside`,
  async run(context: BenchContext): Promise<void> {
    const { server, report, sizes } = context;
    if (sizes.rate > messagesPerSecond) return await measureRate(context);
    await using database = await server.createDatabase();
    await using double = await startOnPort("tests/bench/official_double.ts", {
      DELAY_MS: String(providerMs),
    });
    await using quick = await startOnPort("tests/bench/provider_double.ts", {});
    await using stack = await startStackProcess(database);
    const official = await createInstance(stack.origin, 0, double.origin, undefined, {
      provider: "whatsapp_cloud",
      providerConfig: {
        baseUrl: double.origin,
        phoneNumberId: "104857600000001",
        accessToken: "bench-access-token",
        appSecret: "bench-app-secret-0123456789abcdef",
        verifyToken: "bench-verify-token",
      },
      pace: { messagesPerSecond },
    });
    const [eleventh] = await stack.createInstances(1, quick.origin, 1);
    if (eleventh === undefined) throw new Error("no instance");
    await compareSends(stack, official, eleventh, { sizes, report });

    const batch = await createBatch(stack, official);
    const startedAt = performance.now();
    await call(official, `${batch}/start`);
    await waitUntil(async () => (await read(official, batch)).status === "finished", {
      what: "the end of the batch",
      timeoutMs: 600_000,
      intervalMs: 250,
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    const { counts } = await read(official, batch);
    report.figure({
      what: `${people} recipients at ${messagesPerSecond} a second, by calls of ${providerMs} ms`,
      value: seconds,
      unit: "s",
      bar: { kind: "at most", value: barSeconds },
      note: `${counts.sent} sent; ${people / messagesPerSecond} s at the pace`,
    });
    const calls: { total: number; most: number } = await (await fetch(`${double.origin}/calls`))
      .json();
    report.figure({
      what: "calls of the busiest second, as the channel received them",
      value: calls.most,
      unit: "calls",
      note: `${calls.total} in all`,
    });
  },
};

/** Immediate sends of another instance, in turn while the number sends and while its batch is paused. */
async function compareSends(
  stack: StackProcess,
  official: StackInstance,
  eleventh: StackInstance,
  { sizes, report }: Pick<BenchContext, "sizes" | "report">,
): Promise<void> {
  const batch = await createBatch(stack, official);
  const measure = async (): Promise<number> =>
    percentile(await sendFor(stack, eleventh, phaseMs), 95);
  await measure();
  await call(official, `${batch}/start`);
  await measure();
  const running: number[] = [];
  const quiet: number[] = [];
  for (let round = 0; round < sizes.rounds; round += 1) {
    await call(official, `${batch}/pause`);
    quiet.push(await measure());
    await call(official, `${batch}/resume`);
    running.push(await measure());
  }
  await call(official, `${batch}/cancel`);
  report.comparison({
    what:
      "an eleventh's immediate send, p95, while the number sends at full speed : while it is paused",
    over: running,
    under: quiet,
    names: ["it sends", "it is paused"],
    unit: "ms",
    bar: { kind: "at most", value: 1.2 },
  });
}

async function createBatch(stack: StackProcess, official: StackInstance): Promise<string> {
  const all = `${stack.origin}/functions/v1/batches-api/batches`;
  const { batchId } = await call(official, all, {
    message: { messageType: "text", message: "Oi {{nome}}" },
    recipients: [],
  });
  for (let first = 0; first < people; first += recipientsPerCall) {
    await call(official, `${all}/${batchId}/recipients`, {
      recipients: Array.from({ length: recipientsPerCall }, (_, number) => ({
        phone: String(5_521_990_000_000 + first + number),
        variables: { nome: `Pessoa ${first + number}` },
      })),
    });
  }
  return `${all}/${batchId}`;
}

function call(
  { clientToken }: StackInstance,
  url: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly batchId: string }> {
  return post(url, { "x-client-token": clientToken }, body);
}

async function read(
  { clientToken }: StackInstance,
  url: string,
): Promise<{ readonly status: string; readonly counts: { readonly sent: number } }> {
  const response = await fetch(url, { headers: { "x-client-token": clientToken } });
  return await response.json();
}

/** @returns how long each send took. */
async function sendFor(
  stack: StackProcess,
  instance: StackInstance,
  durationMs: number,
): Promise<number[]> {
  const durations: number[] = [];
  const endsAt = performance.now() + durationMs;
  while (performance.now() < endsAt) {
    const startedAt = performance.now();
    const phone = String(5_531_990_000_000 + durations.length);
    await stack.send(instance, { phone, messageType: "text", message: messageText });
    durations.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, sendPauseMs));
  }
  return durations;
}
