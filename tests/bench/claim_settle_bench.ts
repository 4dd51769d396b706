import type { Bench, BenchContext } from "./bench.ts";
import { measureDrain } from "./load.ts";
import { fillPgBoss, openPgBoss, openPgBossUser, type PgBossUser, workOffPgBoss } from "./peers.ts";
import { messageText, workOffProduct } from "./product_calls.ts";
import { alternate } from "./rounds.ts";
import { createTenants } from "./tenants.ts";
import { fillQueue } from "./waiting_messages.ts";

const connections = 8;
const batchSize = 100;
const instances = 1_000;

/**
 * Claims and settles batches concurrently. The peer is pg-boss, which keeps no record of a message and
 * no pace. Fair is the same work: its user records the outcome in a messages row of its own, and for
 * the paced side one message per sender is in flight (`key_strict_fifo`). Raw pg-boss has no bar.
 */
export const claimSettleBench: Bench = {
  name: "claim_settle",
  title: `Claim and settle batches of ${batchSize}, ${connections} connections`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    await using database = await server.createDatabase();
    await createTenants(database.admin, { instances, contactsEach: 5 });
    const sql = database.connect(connections);
    const boss = await openPgBoss(database, connections);
    const openUser = (isOrdered: boolean): Promise<PgBossUser> =>
      openPgBossUser(boss, database, { connections, senders: instances, isOrdered });
    const [user, orderedUser] = [await openUser(false), await openUser(true)];
    const payload = { phone: "5521990000001", messageType: "text", message: messageText } as const;
    const target = sizes.drained;
    // The last messages are not measured, because some callers are idle by then.
    const filled = Math.ceil(target * 1.2);
    const drain = async (batch: () => Promise<number>): Promise<number> => {
      await database.admin`vacuum analyze`;
      return await measureDrain({ callers: connections, target, batch });
    };
    const drainProduct = (distribution: "due" | "unpaced") => async (): Promise<number> => {
      await fillQueue(database.admin, filled, distribution);
      return await drain(() => workOffProduct(sql, batchSize));
    };
    const drainUser = (side: PgBossUser) => async (): Promise<number> => {
      await side.fill(filled, payload);
      return await drain(() => side.workOff(batchSize));
    };

    const measured = await alternate(sizes.rounds, {
      paced: drainProduct("due"),
      ordered: drainUser(orderedUser),
      unpaced: drainProduct("unpaced"),
      user: drainUser(user),
      boss: async () => {
        await boss.deleteAllJobs();
        await fillPgBoss(boss, filled, payload);
        return await drain(() => workOffPgBoss(boss, batchSize));
      },
    });
    const ours = "claim_due_messages and settle_messages";
    const unit = "messages/s";
    report.comparison({
      what: `paced, over ${instances} instances : pg-boss key_strict_fifo and its user's row`,
      over: measured.paced,
      under: measured.ordered,
      names: [ours, "fetch, update, complete, one in flight per key"],
      unit,
      bar: { kind: "at least", value: 1.8 },
    });
    report.comparison({
      what: "unpaced : pg-boss and its user's row",
      over: measured.unpaced,
      under: measured.user,
      names: [ours, "fetch, update, complete"],
      unit,
      bar: { kind: "at least", value: 0.55 },
    });
    for (const side of ["paced", "unpaced"] as const) {
      report.comparison({
        what: `${side} : raw pg-boss`,
        over: measured[side],
        under: measured.boss,
        names: [ours, "fetch and complete"],
        unit,
      });
    }
  },
};
