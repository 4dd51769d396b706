import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { measureRate } from "./load.ts";
import { openGraphileWorker, openPgBoss, sendToPgBoss } from "./peers.ts";
import {
  createBenchSchema,
  enqueueMessage,
  enqueueStored,
  messageText,
  type StoredMessage,
  storeMessages,
} from "./product_calls.ts";
import { alternate } from "./rounds.ts";
import { createTenants, type Recipient } from "./tenants.ts";

const instances = 1_000;
const intervalSeconds = 30;
/** More messages than can be queued in a second. */
const storedPerSecond = 24_000;

/** Enqueues one message per call over many instances; the baselines are the peers' calls. */
export const enqueueBench: Bench = {
  name: "enqueue",
  title: `Enqueue, one call per message over ${instances} instances`,
  async run(context: BenchContext): Promise<void> {
    await using database = await context.server.createDatabase();
    const recipients = await createTenants(database.admin, { instances, contactsEach: 5 });
    await createBenchSchema(database.admin);
    for (const connections of [8, 32]) {
      await measureConnections(context, database, recipients, connections);
    }
  },
};

async function measureConnections(
  { sizes, report }: BenchContext,
  database: BenchDatabase,
  recipients: readonly Recipient[],
  connections: number,
): Promise<void> {
  const sql = database.connect(connections);
  const boss = await openPgBoss(database, connections);
  const addJob = await openGraphileWorker(database, connections);
  const recipientOf = (sequence: number): Recipient =>
    recipients[sequence % recipients.length] as Recipient;
  const payload = { phone: "5521990000001", messageType: "text", message: messageText } as const;
  const rate = (call: (sequence: number) => Promise<unknown>) => (): Promise<number> =>
    measureRate({ callers: connections, seconds: sizes.seconds, call });

  const stored = await storeMessages(
    database.admin,
    sizes.rounds * sizes.seconds * storedPerSecond,
  );
  const nextStored = (): StoredMessage => {
    const message = stored.pop();
    if (message === undefined) throw new Error("no stored message is left to queue");
    return message;
  };
  const measured = await alternate(sizes.rounds, {
    queue: rate(() => enqueueStored(sql, nextStored(), intervalSeconds)),
    stored: rate((sequence) => enqueueMessage(sql, recipientOf(sequence), intervalSeconds)),
    boss: rate(() => sendToPgBoss(boss, payload)),
    graphile: rate(() => addJob(payload)),
  });
  for (
    const [peer, under, bar] of [
      ["pg-boss send", measured.boss, 2.2],
      ["graphile-worker addJob", measured.graphile, 2],
    ] as const
  ) {
    report.comparison({
      what: `enqueue_message : ${peer}, ${connections} connections`,
      over: measured.queue,
      under,
      names: ["enqueue_message", peer],
      unit: "/s",
      bar: { kind: "at least", value: bar },
    });
  }
  report.comparison({
    what: `enqueue_message and the message's own row : pg-boss send, ${connections} connections`,
    over: measured.stored,
    under: measured.boss,
    names: ["enqueue_message with insert", "pg-boss send"],
    unit: "/s",
  });
}
