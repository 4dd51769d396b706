import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { checkOut } from "../support/releases/checkout.ts";
import { formerRelease } from "./former_release.ts";
import { canReadCpu, readDatabaseCpuSeconds, readProcessCpuSeconds } from "./process_cpu.ts";
import { alternate } from "./rounds.ts";
import { type StackProcess, startStackProcess } from "./stack_process.ts";
import {
  knownPersons,
  openWebhookSide,
  type WebhookSide,
  webhookSubjects,
} from "./webhook_side.ts";

const connections = 16;
const webhooksPerRound = 1_000;
/** Warm-up of each side: rounds before JIT compilation are slower than later ones. */
const warmUpWebhooks = 4_000;

const titles: Readonly<Record<typeof webhookSubjects[number], string>> = {
  known: "messages of known contacts",
  new: "messages of new contacts",
  status: "delivery events",
};

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
    await using ours = await openWebhookSide(stack);
    await using theirs = await openWebhookSide(formerStack);
    for (const side of [ours, theirs]) {
      await (await side.prepare("new", knownPersons))();
      await (await side.prepare("known", warmUpWebhooks - knownPersons))();
    }
    for (const subject of webhookSubjects) {
      const measured = await alternate(sizes.rounds, {
        ours: async () => await (await ours.prepare(subject, webhooksPerRound))(),
        theirs: async () => await (await theirs.prepare(subject, webhooksPerRound))(),
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
    const sides = [
      ["now", ours, { stack, database }],
      ["before", theirs, { stack: formerStack, database: formerDatabase }],
    ] as const;
    for (const [name, side, running] of sides) {
      const what = `processor time of a known contact's message ${name}`;
      const { scriptMs, databaseMs } = await measureCpu(side, running);
      report.figure({ what: `${what}, JavaScript`, value: scriptMs, unit: "ms" });
      report.figure({ what: `${what}, Postgres`, value: databaseMs, unit: "ms" });
    }
  },
};

interface RunningRelease {
  readonly stack: StackProcess;
  readonly database: BenchDatabase;
}

/** Processor time of one webhook, in the stack's process and in its database sessions. */
async function measureCpu(
  side: WebhookSide,
  { stack, database }: RunningRelease,
): Promise<{ readonly scriptMs: number; readonly databaseMs: number }> {
  const read = async (): Promise<[number, number]> => [
    await readProcessCpuSeconds(stack.pid),
    await readDatabaseCpuSeconds(database.admin),
  ];
  const before = await read();
  await (await side.prepare("known", 2 * webhooksPerRound))();
  const after = await read();
  const toMs = (seconds: number): number => seconds * 1_000 / (2 * webhooksPerRound);
  return { scriptMs: toMs(after[0] - before[0]), databaseMs: toMs(after[1] - before[1]) };
}
