import type { Bench, BenchContext } from "./bench.ts";
import { startOnPort } from "./immediate_send_bench.ts";
import { messageText } from "./product_calls.ts";
import { type StackInstance, type StackProcess, startStackProcess } from "./stack_process.ts";
import { percentile } from "./statistics.ts";

const connections = 16;
const instanceCount = 20;
const phones = 1_000;
/** The first batch is a warm-up, because the heap grows with the load. */
const batches = 3;
/** Samples after a load, 250 ms apart, because the time of garbage collections varies. */
const samples = 20;

/** Memory of the stack's process, idle and after sends. */
export const memoryBench: Bench = {
  name: "memory",
  title: "Memory of the stack's process",
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    if (Deno.build.os !== "linux") return report.note("needs /proc");
    await using database = await server.createDatabase();
    await using double = await startOnPort("tests/bench/provider_double.ts", {});
    await using stack = await startStackProcess(database);
    const instances = await stack.createInstances(instanceCount, double.origin);
    const sends = sizes.sends.toLocaleString("en-US");

    report.figure({ what: "idle", value: await measureMib(stack.pid), unit: "MiB" });
    const sizesMib: number[] = [];
    for (let batch = 1; batch <= batches; batch += 1) {
      await sendMany(stack, instances, sizes.sends);
      const sizeMib = await measureMib(stack.pid);
      sizesMib.push(sizeMib);
      report.figure({ what: `after ${batch} times ${sends} sends`, value: sizeMib, unit: "MiB" });
    }
    const [first = Number.NaN, second = Number.NaN] = sizesMib.slice(1);
    report.figure({
      what: `growth from the second ${sends} to the third`,
      value: (second / first - 1) * 100,
      unit: "%",
      bar: { kind: "at most", value: 5 },
    });
  },
};

async function sendMany(
  stack: StackProcess,
  instances: readonly StackInstance[],
  count: number,
): Promise<void> {
  let next = 0;
  const runCaller = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) {
      await stack.send(instances[number % instanceCount] as StackInstance, {
        phone: String(5_521_990_000_000 + number % phones),
        messageType: "text",
        message: messageText,
      });
    }
  };
  await Promise.all(Array.from({ length: connections }, runCaller));
}

/** Median resident set size of the idle process over some seconds, in MiB. */
async function measureMib(pid: number): Promise<number> {
  const sizesMib: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const status = await Deno.readTextFile(`/proc/${pid}/status`);
    sizesMib.push(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024);
  }
  return percentile(sizesMib, 50);
}
