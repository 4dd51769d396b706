import { fileURLToPath } from "node:url";
import { checkOut } from "../support/releases/checkout.ts";
import { findLastRelease } from "../support/releases/last_release.ts";
import type { Bench, BenchContext } from "./bench.ts";
import { measureOperation, releaseOperations } from "./database_operations.ts";
import { startOnPort } from "./immediate_send_bench.ts";
import { measureBatch } from "./load.ts";
import { canReadCpu, readProcessCpuSeconds } from "./process_cpu.ts";
import { createRestingCluster } from "./resting_cluster.ts";
import { alternate } from "./rounds.ts";
import { findSpendingUnit } from "./single_backend.ts";
import { startStackProcess } from "./stack_process.ts";
import { openWebhookSide, type WebhookSide, webhookSubjects } from "./webhook_side.ts";

const ownMigrations = fileURLToPath(new URL("../../migrations", import.meta.url));
/** What a release may cost more than the last one without a word in docs/performance.md. */
const bar = { kind: "at most", value: 1.03 } as const;
/** Calls of one measurement: many short ones, in turn, so that other work of the machine meets both. */
const callsPerRound = 500;
const warmUpCalls = 4_000;

/** Compares what each call costs with the last release: `docs/performance.md` explains what is dearer. */
export const releaseBench: Bench = {
  name: "release",
  title: "What calls cost Postgres and JavaScript, beside the last release",
  async run(context: BenchContext): Promise<void> {
    const release = await findLastRelease();
    if ("missing" in release) {
      context.report.note(`not measured: ${release.missing}`);
      return;
    }
    await using former = await checkOut(release.commit);
    await compareDatabases(context, former.root, release.version);
    if (canReadCpu) await compareStacks(context, former.root, release.version);
  },
};

async function compareDatabases(
  { report }: BenchContext,
  formerRoot: string,
  version: string,
): Promise<void> {
  await using cluster = await createRestingCluster({
    now: ownMigrations,
    former: `${formerRoot}/migrations`,
  });
  const unit = await findSpendingUnit();
  const measure = (name: string) => (operation: typeof releaseOperations[number]) =>
    measureOperation({ dataDir: cluster.dataDir, name }, operation, unit);
  const [measureNow, measureFormer] = [measure("now"), measure("former")];
  for (const operation of releaseOperations) {
    report.comparison({
      what: `Postgres, ${operation.what} : the same in ${version}`,
      over: [await measureNow(operation)],
      under: [await measureFormer(operation)],
      names: ["now", version],
      unit: `${unit} each`,
      bar,
    });
  }
}

/** Processor time of the stack's process, the callers and the provider in other processes. */
async function compareStacks(
  { server, sizes, report }: BenchContext,
  formerRoot: string,
  version: string,
): Promise<void> {
  await using double = await startOnPort("tests/bench/provider_double.ts", {});
  await using database = await server.createDatabase();
  await using formerDatabase = await server.createEmptyDatabase();
  await using stack = await startStackProcess(database);
  await using formerStack = await startStackProcess(formerDatabase, formerRoot);
  await using ours = await openWebhookSide(stack);
  await using theirs = await openWebhookSide(formerStack);
  const send = async (side: typeof stack): Promise<(place: number) => Promise<unknown>> => {
    const instances = await side.createInstances(20, double.origin, 100);
    return (place) => {
      const instance = instances[place % instances.length];
      if (instance === undefined) throw new Error("the stack has no instances");
      return side.send(instance, {
        ...{ phone: String(5_521_990_000_000 + place % 1_000), messageType: "text" },
        message: "Olá! Seu pedido saiu para entrega.",
      });
    };
  };
  const sends = { ours: await send(stack), theirs: await send(formerStack) };
  const spend = async (pid: number, work: () => Promise<unknown>): Promise<number> => {
    const before = await readProcessCpuSeconds(pid);
    await work();
    return (await readProcessCpuSeconds(pid) - before) * 1_000 / callsPerRound;
  };
  for (const callers of [1, 16, 64]) {
    const sendAll = (call: (place: number) => Promise<unknown>, count = callsPerRound) =>
      measureBatch({ callers, count, call });
    for (const call of [sends.ours, sends.theirs]) await sendAll(call, warmUpCalls / callers);
    const measured = await alternate(sizes.rounds, {
      ours: () => spend(stack.pid, () => sendAll(sends.ours)),
      theirs: () => spend(formerStack.pid, () => sendAll(sends.theirs)),
    });
    report.comparison({
      what: `JavaScript, an immediate send, ${callers} callers : the same in ${version}`,
      over: measured.ours,
      under: measured.theirs,
      names: ["now", version],
      unit: "ms each",
      bar,
    });
  }
  const measureWebhooks = async (
    subject: typeof webhookSubjects[number],
    side: WebhookSide,
    pid: number,
  ): Promise<number> => await spend(pid, await side.prepare(subject, callsPerRound));
  for (const side of [ours, theirs]) await (await side.prepare("known", warmUpCalls))();
  for (const subject of webhookSubjects) {
    const measured = await alternate(sizes.rounds, {
      ours: () => measureWebhooks(subject, ours, stack.pid),
      theirs: () => measureWebhooks(subject, theirs, formerStack.pid),
    });
    report.comparison({
      what: `JavaScript, a webhook (${subject}) : the same in ${version}`,
      over: measured.ours,
      under: measured.theirs,
      names: ["now", version],
      unit: "ms each",
      bar,
    });
  }
}
