import type { Sql } from "postgres";
import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { measureMs } from "./load.ts";
import { claimMessages } from "./product_calls.ts";
import { alternate } from "./rounds.ts";
import { percentile } from "./statistics.ts";
import { createTenants } from "./tenants.ts";
import { arrangeQueue, type Distribution, fillQueue } from "./waiting_messages.ts";

const batchSize = 100;
const instances = 1_000;
const few = 1_000;
const claimsPerRound = 15;

const titles: readonly (readonly [Exclude<Distribution, "unpaced">, string])[] = [
  ["due", "all due"],
  ["ahead", "the rest lies ahead"],
  ["skewed", "skewed onto one instance"],
];

/** Compares a claim on a long queue with one on a short queue. */
export const claimSizeBench: Bench = {
  name: "claim_size",
  title: `Claim of ${batchSize} with many waiting, each claim rolled back`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    await using many = await prepare(await server.createDatabase(), sizes.waiting);
    await using small = await prepare(await server.createDatabase(), few);
    const [manySql, smallSql] = [many.connect(1), small.connect(1)];
    for (const [distribution, title] of titles) {
      await arrangeQueue(many.admin, distribution);
      await arrangeQueue(small.admin, distribution);
      const measured = await alternate(sizes.rounds, {
        many: () => measureClaim(manySql),
        few: () => measureClaim(smallSql),
      });
      const waiting = sizes.waiting.toLocaleString("en-US");
      report.comparison({
        what: `${title}, ${waiting} waiting : ${few.toLocaleString("en-US")} waiting`,
        over: measured.many,
        under: measured.few,
        names: [`${waiting} waiting`, `${few.toLocaleString("en-US")} waiting`],
        unit: "ms a claim",
        bar: { kind: "at most", value: 2 },
      });
    }
  },
};

async function prepare(database: BenchDatabase, count: number): Promise<BenchDatabase> {
  await createTenants(database.admin, { instances, contactsEach: 5 });
  await fillQueue(database.admin, count, "due");
  return database;
}

/** Median duration of several claims at the client. */
async function measureClaim(sql: Sql): Promise<number> {
  const durationsMs: number[] = [];
  for (let claim = 0; claim < claimsPerRound; claim += 1) {
    await sql`begin`;
    durationsMs.push(
      await measureMs(async () => {
        const { messages } = await claimMessages(sql, batchSize);
        if (messages.length !== batchSize) throw new Error(`claimed ${messages.length}`);
      }),
    );
    await sql`rollback`;
  }
  return percentile(durationsMs, 50);
}
