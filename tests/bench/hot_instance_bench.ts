import type { Bench, BenchContext } from "./bench.ts";
import { measureRate } from "./load.ts";
import { createBenchSchema, enqueueMessage, insertPlainly } from "./product_calls.ts";
import { alternate } from "./rounds.ts";
import { createTenants, type Recipient } from "./tenants.ts";

const connections = 8;

/** All calls on one instance. Each call waits for the commit of the one before. */
export const hotInstanceBench: Bench = {
  name: "hot_instance",
  title: `Enqueue on one instance, ${connections} connections`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    await using database = await server.createDatabase();
    const recipients = await createTenants(database.admin, { instances: 1, contactsEach: 1_000 });
    await createBenchSchema(database.admin);
    const sql = database.connect(connections);
    const recipientOf = (sequence: number): Recipient =>
      recipients[sequence % recipients.length] as Recipient;
    const rate = (call: (sequence: number) => Promise<unknown>) => (): Promise<number> =>
      measureRate({ callers: connections, seconds: sizes.seconds, call });
    const measured = await alternate(sizes.rounds, {
      ours: rate((sequence) => enqueueMessage(sql, recipientOf(sequence), 1)),
      plain: rate((sequence) => insertPlainly(sql, recipientOf(sequence), 1)),
    });
    report.comparison({
      what: "enqueue_message : plain insert of the same rows",
      over: measured.ours,
      under: measured.plain,
      names: ["enqueue_message", "plain insert"],
      unit: "/s",
      bar: { kind: "at least", value: 0.3 },
    });
  },
};
