import type { Bench, BenchContext } from "./bench.ts";
import { canReadCpu, readProcessCpuSeconds, readServerCpuSeconds } from "./process_cpu.ts";
import { startStackProcess } from "./stack_process.ts";
import { createTenants } from "./tenants.ts";

const instanceCount = 1_000;
const measuredSeconds = 20;
/** What the start leaves behind (statistics, garbage, the first purge) ends before the measurement. */
const settlingMs = 5_000;

/** Measures the processor time of a stack that has nothing to do, with all processes of its Postgres. */
export const idleBench: Bench = {
  name: "idle",
  title: `Processor time of an idle stack with ${instanceCount.toLocaleString("en-US")} instances`,
  async run({ server, report }: BenchContext): Promise<void> {
    if (!canReadCpu) return report.note("left out: this system tells no processor times");
    await using database = await server.createDatabase();
    await createTenants(database.admin, { instances: instanceCount, contactsEach: 1 });
    await using stack = await startStackProcess(database);
    await pause(settlingMs);
    const stackBefore = await readProcessCpuSeconds(stack.pid);
    const serverBefore = await readServerCpuSeconds(database.admin);
    await pause(measuredSeconds * 1_000);
    const stackSeconds = await readProcessCpuSeconds(stack.pid) - stackBefore;
    const serverSeconds = await readServerCpuSeconds(database.admin) - serverBefore;
    const toPercent = (seconds: number): number => seconds / measuredSeconds * 100;
    const unit = "% of a core";
    report.figure({ what: "stack", value: toPercent(stackSeconds), unit });
    report.figure({ what: "Postgres, all processes", value: toPercent(serverSeconds), unit });
    report.figure({
      what: "both",
      value: toPercent(stackSeconds + serverSeconds),
      unit,
      bar: { kind: "under", value: 1 },
    });
  },
};

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
