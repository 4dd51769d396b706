import { measureAccepting } from "./batch_accepting.ts";
import { compareWithRunningBatches } from "./batch_fairness.ts";
import type { Bench, BenchContext } from "./bench.ts";

/** What a batch costs its sender, and every other tenant. */
export const batchesBench: Bench = {
  name: "batches",
  title: "Batches: accepting, asking, starting, pausing; the sends and claims beside them",
  async run(context: BenchContext): Promise<void> {
    await compareWithRunningBatches(context);
    await measureAccepting(context);
  },
};
