import type { Bench, BenchContext } from "./bench.ts";
import { measureRate } from "./load.ts";
import { openPgBoss, sendToPgBoss } from "./peers.ts";
import { acceptMessage, messageText } from "./product_calls.ts";
import { alternate } from "./rounds.ts";
import { createTenants, type Recipient } from "./tenants.ts";

const instances = 1_000;
const intervalSeconds = 30;

/**
 * Accepts queued messages; the peer is pg-boss's send, which stores one job. The product also records
 * the contact, the conversation and the message, and gives the message its slot.
 */
export const queuedAcceptBench: Bench = {
  name: "queued_accept",
  title: `Accept a queued message, one call per message over ${instances} instances`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    await using database = await server.createDatabase();
    const recipients = await createTenants(database.admin, { instances, contactsEach: 5 });
    const payload = { phone: "5521990000001", messageType: "text", message: messageText } as const;
    const recipientOf = (sequence: number): Recipient =>
      recipients[sequence % recipients.length] as Recipient;
    for (const connections of [8, 32]) {
      const sql = database.connect(connections);
      const boss = await openPgBoss(database, connections);
      const rate = (call: (sequence: number) => Promise<unknown>) => (): Promise<number> =>
        measureRate({ callers: connections, seconds: sizes.seconds, call });
      const measured = await alternate(sizes.rounds, {
        accept: rate((sequence) => acceptMessage(sql, recipientOf(sequence), intervalSeconds)),
        boss: rate(() => sendToPgBoss(boss, payload)),
      });
      report.comparison({
        what: `accept_message with a slot : pg-boss send, ${connections} connections`,
        over: measured.accept,
        under: measured.boss,
        names: ["accept_message", "pg-boss send"],
        unit: "/s",
        bar: { kind: "at least", value: 1 },
      });
    }
  },
};
