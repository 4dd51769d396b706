import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { checkOut } from "../support/releases/checkout.ts";
import { formerRelease } from "./former_release.ts";
import { measureBatch } from "./load.ts";
import { canReadCpu, readDatabaseCpuSeconds, readProcessCpuSeconds } from "./process_cpu.ts";
import { messageText } from "./product_calls.ts";
import { serveProviderDouble } from "./provider_double.ts";
import { alternate } from "./rounds.ts";
import { post, type StackInstance, type StackProcess, startStackProcess } from "./stack_process.ts";

const connections = 16;
const webhooksPerRound = 1_000;
const instanceCount = 20;
const knownPersons = 1_000;
/** Warm-up of each side: rounds before JIT compilation are slower than later ones. */
const warmUpWebhooks = 4_000;
/** Of the bench's instances, see `createInstance`. */
export const webhookSecret = "bench-webhook-secret-0123456789";

/** What the webhooks of one round are about. */
type Subject = "known" | "new" | "status";

const titles: Readonly<Record<Subject, string>> = {
  known: "messages of known contacts",
  new: "messages of new contacts",
  status: "delivery events",
};
const subjects = ["known", "new", "status"] as const;

/** Compares the rate of webhooks with an earlier release's. */
export const inboundBench: Bench = {
  name: "inbound",
  title:
    `${webhooksPerRound.toLocaleString("en-US")} webhooks of Z-API through the running stack, ` +
    `${connections} connections`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    await using former = await checkOut(formerRelease);
    await using database = await server.createDatabase();
    await using formerDatabase = await server.createEmptyDatabase();
    await using stack = await startStackProcess(database);
    await using formerStack = await startStackProcess(formerDatabase, former.root);
    await using ours = await openSide(stack, database);
    await using theirs = await openSide(formerStack, formerDatabase);
    for (const side of [ours, theirs]) {
      await side.measureRate("new", knownPersons);
      await side.measureRate("known", warmUpWebhooks - knownPersons);
    }
    for (const subject of subjects) {
      const measured = await alternate(sizes.rounds, {
        ours: () => ours.measureRate(subject, webhooksPerRound),
        theirs: () => theirs.measureRate(subject, webhooksPerRound),
      });
      report.comparison({
        what: `${titles[subject]} : the same at ${formerRelease.slice(0, 7)}`,
        over: measured.ours,
        under: measured.theirs,
        names: ["provider-webhook", "provider-webhook before"],
        unit: "webhooks/s",
        bar: { kind: "at least", value: 1.5 },
      });
    }
    if (!canReadCpu) return;
    for (const [name, side] of [["now", ours], ["before", theirs]] as const) {
      const what = `processor time of a known contact's message ${name}`;
      const { scriptMs, databaseMs } = await side.measureCpu();
      report.figure({ what: `${what}, JavaScript`, value: scriptMs, unit: "ms" });
      report.figure({ what: `${what}, Postgres`, value: databaseMs, unit: "ms" });
    }
  },
};

/** A running release that receives webhooks. */
interface Side extends AsyncDisposable {
  /** Webhooks per second over `count` webhooks. */
  measureRate(subject: Subject, count: number): Promise<number>;
  /** Processor time of one webhook, in the stack's process and in its database sessions. */
  measureCpu(): Promise<{ readonly scriptMs: number; readonly databaseMs: number }>;
}

async function openSide(stack: StackProcess, database: BenchDatabase): Promise<Side> {
  const sent: { readonly providerMessageId: string; readonly instance: number }[] = [];
  const double = serveProviderDouble(0, ({ message, messageId }) => {
    sent.push({ providerMessageId: messageId, instance: Number(message) });
  });
  const baseUrl = `http://127.0.0.1:${double.addr.port}`;
  const instances = await stack.createInstances(instanceCount, baseUrl);
  let sequence = 0;

  const postWebhook = (number: number, payload: Readonly<Record<string, unknown>>) => {
    const { instanceId } = instances[number] as StackInstance;
    const url = `${stack.origin}/functions/v1/provider-webhook/zapi/${instanceId}/${webhookSecret}`;
    return post(url, {}, { instanceId: `BENCH${number}`, ...payload });
  };
  const postMessage = (person: number): Promise<unknown> => {
    sequence += 1;
    return postWebhook(sequence % instanceCount, composeMessage(sequence, person));
  };
  const sendMessages = async (count: number): Promise<void> => {
    const call = (place: number): Promise<unknown> =>
      stack.send(instances[place % instanceCount] as StackInstance, {
        phone: String(5_521_990_000_000 + place),
        messageType: "text",
        message: String(place % instanceCount),
      });
    await measureBatch({ callers: connections, count, call });
  };

  const measureRate = async (subject: Subject, count: number): Promise<number> => {
    if (subject === "status") await sendMessages(count);
    const told = sent.splice(0);
    const calls: Readonly<Record<Subject, (place: number) => Promise<unknown>>> = {
      known: (place) => postMessage(place % knownPersons),
      new: () => postMessage(sequence),
      status: (place) => {
        const { instance, providerMessageId } = told[place] as typeof told[number];
        return postWebhook(instance, composeStatus(providerMessageId));
      },
    };
    return await measureBatch({ callers: connections, count, call: calls[subject] });
  };

  return {
    measureRate,
    measureCpu: async () => {
      const read = async (): Promise<[number, number]> => [
        await readProcessCpuSeconds(stack.pid),
        await readDatabaseCpuSeconds(database.admin),
      ];
      const before = await read();
      await measureRate("known", 2 * webhooksPerRound);
      const after = await read();
      const toMs = (seconds: number): number => seconds * 1_000 / (2 * webhooksPerRound);
      return { scriptMs: toMs(after[0] - before[0]), databaseMs: toMs(after[1] - before[1]) };
    },
    [Symbol.asyncDispose]: () => double.shutdown(),
  };
}

/** A text that a person writes, as Z-API tells it. */
export function composeMessage(
  sequence: number,
  person: number,
): Readonly<Record<string, unknown>> {
  return {
    type: "ReceivedCallback",
    messageId: `3EB0BENCH${String(sequence).padStart(12, "0")}`,
    phone: String(5_531_980_000_000 + person),
    fromMe: false,
    fromApi: false,
    momment: Date.now(),
    status: "RECEIVED",
    chatName: `Cliente ${person}`,
    senderName: `Cliente ${person}`,
    participantPhone: null,
    isGroup: false,
    isNewsletter: false,
    isEdit: false,
    waitingMessage: false,
    broadcast: false,
    text: { message: messageText },
  };
}

function composeStatus(providerMessageId: string): Readonly<Record<string, unknown>> {
  return {
    type: "MessageStatusCallback",
    status: "RECEIVED",
    ids: [providerMessageId],
    momment: Date.now(),
    phone: "5521990000000",
    phoneDevice: 0,
    isGroup: false,
  };
}
