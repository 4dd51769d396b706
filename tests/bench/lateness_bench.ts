import { waitUntil } from "../support/wait_until.ts";
import type { Bench, BenchContext } from "./bench.ts";
import { serveProviderDouble } from "./provider_double.ts";
import { type StackInstance, type StackProcess, startStackProcess } from "./stack_process.ts";
import { percentile } from "./statistics.ts";

const instanceCount = 50;
const messagesEach = 4;
/** The shortest interval that the API accepts. */
const intervalSeconds = 10;
/** Delay between the instances' first messages, so that due times spread over the interval. */
const staggerMs = intervalSeconds * 1_000 / instanceCount;

/** Measures the time from a message's slot to its provider call in the running stack. */
export const latenessBench: Bench = {
  name: "lateness",
  title:
    `From the slot to the provider call: ${instanceCount * messagesEach} messages queued over ` +
    `${instanceCount} instances, ${intervalSeconds} s apart`,
  async run({ server, report }: BenchContext): Promise<void> {
    await using database = await server.createDatabase();
    const arrivals = new Map<string, number>();
    await using double = serveProviderDouble(0, ({ message, arrivedAtMs }) => {
      arrivals.set(message, arrivedAtMs);
    });
    await using stack = await startStackProcess(database);
    const baseUrl = `http://127.0.0.1:${double.addr.port}`;
    const instances = await stack.createInstances(instanceCount, baseUrl);
    const slots = await queueMessages(stack, instances);
    await waitUntil(() => arrivals.size >= slots.size, {
      timeoutMs: (messagesEach * intervalSeconds + 30) * 1_000,
      intervalMs: 200,
      what: "provider calls for all messages",
    });
    const latenessMs = [...slots].map(([message, slotMs]) => (arrivals.get(message) ?? 0) - slotMs);
    const early = latenessMs.filter((ms) => ms < -1).length;
    report.figure({
      what: "p50",
      value: percentile(latenessMs, 50),
      unit: "ms",
      bar: { kind: "under", value: 30 },
    });
    report.figure({
      what: "p99",
      value: percentile(latenessMs, 99),
      unit: "ms",
      bar: { kind: "under", value: 250 },
    });
    report.figure({ what: "maximum", value: Math.max(...latenessMs), unit: "ms" });
    report.figure({
      what: "calls before their slot",
      value: early,
      unit: "messages",
      bar: { kind: "at most", value: 0 },
    });
  },
};

/** Queues all messages. @returns each message's slot, in milliseconds since the epoch. */
async function queueMessages(
  stack: StackProcess,
  instances: readonly StackInstance[],
): Promise<Map<string, number>> {
  const slots = new Map<string, number>();
  const queueOf = async (instance: StackInstance, number: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, number * staggerMs));
    for (let place = 0; place < messagesEach; place += 1) {
      const message = `Mensagem ${place} da instância ${number}`;
      const { scheduledFor } = await stack.send(instance, {
        phone: String(5_521_990_000_000 + place),
        messageType: "text",
        message,
        queued: true,
        intervalSeconds,
      });
      slots.set(message, Date.parse(scheduledFor ?? ""));
    }
  };
  await Promise.all(instances.map(queueOf));
  return slots;
}
