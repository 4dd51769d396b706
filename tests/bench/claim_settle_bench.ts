import type { Bench, BenchContext } from "./bench.ts";
import { measureDrain } from "./load.ts";
import { fillPgBoss, openPgBoss, workOffPgBoss } from "./peers.ts";
import { messageText, workOffProduct } from "./product_calls.ts";
import { alternate } from "./rounds.ts";
import { createTenants } from "./tenants.ts";
import { fillQueue } from "./waiting_messages.ts";

const connections = 8;
const batchSize = 100;
const instances = 1_000;

/** Claims and settles batches concurrently; the baseline is pg-boss's fetch and complete. */
export const claimSettleBench: Bench = {
  name: "claim_settle",
  title: `Claim and settle batches of ${batchSize}, ${connections} connections`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    await using database = await server.createDatabase();
    await createTenants(database.admin, { instances, contactsEach: 5 });
    const sql = database.connect(connections);
    const boss = await openPgBoss(database, connections);
    const payload = { phone: "5521990000001", messageType: "text", message: messageText } as const;
    const target = sizes.drained;
    // The last messages are not measured, because some callers are idle by then.
    const filled = Math.ceil(target * 1.2);
    const drain = (batch: () => Promise<number>): Promise<number> =>
      measureDrain({ callers: connections, target, batch });
    const drainProduct = (distribution: "due" | "unpaced") => async (): Promise<number> => {
      await fillQueue(database.admin, filled, distribution);
      return await drain(() => workOffProduct(sql, batchSize));
    };

    const measured = await alternate(sizes.rounds, {
      paced: drainProduct("due"),
      boss: async () => {
        await boss.deleteAllJobs();
        await fillPgBoss(boss, filled, payload);
        await database.admin`vacuum analyze`;
        return await drain(() => workOffPgBoss(boss, batchSize));
      },
      unpaced: drainProduct("unpaced"),
    });
    const names = ["claim_due_messages and settle_messages", "pg-boss fetch and complete"] as const;
    const shared = { under: measured.boss, names, unit: "messages/s" };
    report.comparison({
      ...shared,
      what: `paced, over ${instances} instances : pg-boss`,
      over: measured.paced,
      bar: { kind: "at least", value: 1 },
    });
    report.comparison({ ...shared, what: "only delayed : pg-boss", over: measured.unpaced });
  },
};
