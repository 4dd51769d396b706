import { fileURLToPath } from "node:url";
import type { Bench, BenchContext } from "./bench.ts";
import { checkOut } from "../support/releases/checkout.ts";
import {
  formerImmediateSend,
  immediateSend,
  inboundAgain,
  inboundMessage,
  measureOperation,
} from "./database_operations.ts";
import { formerRelease } from "./former_release.ts";
import { createRestingCluster } from "./resting_cluster.ts";
import { findSpendingUnit } from "./single_backend.ts";

const ownMigrations = fileURLToPath(new URL("../../migrations", import.meta.url));

/** Counts what the database calls of one immediate send cost Postgres, now and before. */
export const instructionsBench: Bench = {
  name: "instructions",
  title: "What the database calls of a send and of a webhook cost Postgres",
  async run({ report }: BenchContext): Promise<void> {
    await using former = await checkOut(formerRelease);
    await using cluster = await createRestingCluster({
      now: ownMigrations,
      before: `${former.root}/migrations`,
    });
    const unit = await findSpendingUnit();
    const now = { dataDir: cluster.dataDir, name: "now" };
    const before = { dataDir: cluster.dataDir, name: "before" };
    report.comparison({
      what: `authenticate, accept and settle : those of ${formerRelease.slice(0, 7)}`,
      over: [await measureOperation(now, immediateSend, unit)],
      under: [await measureOperation(before, formerImmediateSend, unit)],
      names: ["two calls, of a known client", "three calls"],
      unit: `${unit} a send`,
      bar: { kind: "at most", value: 0.6 },
    });
    report.comparison({
      what: "an inbound text that is told again : a new one",
      over: [await measureOperation(now, inboundAgain, unit)],
      under: [await measureOperation(now, inboundMessage, unit)],
      names: ["told again", "new"],
      unit: `${unit} a webhook`,
      bar: { kind: "at most", value: 0.5 },
    });
  },
};
