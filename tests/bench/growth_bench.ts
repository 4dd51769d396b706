import { createForeignRows } from "../support/fixtures/foreign_rows.ts";
import { createSmallTenant } from "../support/fixtures/tenant_requests.ts";
import {
  listRpcs,
  type TenantWork,
  tenantWorks,
  wholeProjectRpcs,
} from "../support/fixtures/tenant_works.ts";
import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase, BenchServer } from "./bench_server.ts";
import { storeMessages } from "./history_bench.ts";
import { median, type Meter, openMeter, type Work } from "./meter.ts";
import { quotients } from "./statistics.ts";
import { createTenants } from "./tenants.ts";

const factor = 100;
/** From the sixth call on Postgres may use a generic plan, which ignores the values. */
const warmUps = 7;
const callsPerRound = 3;
/** Contacts that write, each on its own instance. */
const senders = 50;

/** Compares every RPC, deletion and inbound webhook of a small tenant beside few and many foreign rows. */
export const growthBench: Bench = {
  name: "growth",
  title:
    `Every RPC of a small tenant beside ${factor} times the foreign rows, each call rolled back`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    const calls = sizes.rounds * callsPerRound;
    await using foreign = await openSides(
      await prepareTenant(server, sizes.foreign * factor),
      await prepareTenant(server, sizes.foreign),
    );
    report.note(
      `median of ${calls} calls a side; ${foreign.unit}, and pages read or found in cache`,
    );
    for (const name of foreign.names) {
      const result = await foreign.compare(name, calls, 1.5);
      report.figure({ what: name, unit: "times", bar: { kind: "at most", value: 1.5 }, ...result });
    }
    await using stored = await openSides(
      await prepareWebhooks(server, sizes.stored),
      await prepareWebhooks(server, 0),
    );
    for (const name of stored.names) {
      const what = `${name}, ${sizes.stored.toLocaleString("en-US")} messages : none`;
      const result = await stored.compare(name, calls, 1.3);
      report.figure({ what, unit: "times", bar: { kind: "at most", value: 1.3 }, ...result });
    }
  },
};

interface Side {
  readonly database: BenchDatabase;
  /** One statement a call; several are used in turn. */
  readonly works: ReadonlyMap<string, readonly string[]>;
}

async function prepareTenant(server: BenchServer, rows: number): Promise<Side> {
  const database = await server.createDatabase();
  const tenant = await createSmallTenant(database.admin);
  await createForeignRows(database.admin, rows);
  await database.admin`vacuum analyze`;
  const works = tenantWorks(tenant);
  await requireAllRpcs(database, works);
  return { database, works: new Map(works.map(([name, statement]) => [name, [statement]])) };
}

/** A new RPC without a case must not go unmeasured. */
async function requireAllRpcs(
  database: BenchDatabase,
  works: readonly TenantWork[],
): Promise<void> {
  const named = new Set(works.map(([name]) => name.split(" ")[0]));
  const missing = (await listRpcs(database.admin)).filter((name) =>
    !named.has(name) && !wholeProjectRpcs.includes(name)
  );
  if (missing.length > 0) throw new Error(`tenant_requests.ts has no case for ${missing.join()}`);
}

/** Webhooks of known contacts: a new message of theirs, and the delivery of one that was sent to them. */
async function prepareWebhooks(server: BenchServer, messages: number): Promise<Side> {
  const database = await server.createDatabase();
  const recipients = await createTenants(database.admin, { instances: 1_000, contactsEach: 50 });
  if (messages === 0) await database.admin`truncate messaging.messages, messaging.message_queue`;
  else await storeMessages(database.admin, messages);
  const chosen = recipients.slice(0, senders);
  const record = (instanceId: string, event: Readonly<Record<string, unknown>>): string =>
    `select public.record_provider_events($request$${
      JSON.stringify({ instanceId, sealedProviderConfig: null, payload: "{}", events: [event] })
    }$request$::jsonb)`;
  return {
    database,
    works: new Map([
      [
        "an inbound message",
        chosen.map(({ instanceId, phone }, place) =>
          record(instanceId, {
            ...{ kind: "message", origin: "inbound", providerMessageId: `in-${place}` },
            ...{ address: phone, otherAddresses: [], isGroup: false },
            ...{ messageType: "text", message: "Oi" },
          })
        ),
      ],
      [
        "a status of an unknown message",
        chosen.map(({ instanceId }, place) =>
          record(instanceId, {
            ...{ kind: "status", providerMessageId: `new-${place}`, status: "delivered" },
          })
        ),
      ],
    ]),
  };
}

interface Sides extends AsyncDisposable {
  readonly names: readonly string[];
  readonly unit: string;
  compare(name: string, calls: number, bar: number): Promise<{ value: number; note: string }>;
}

async function openSides(many: Side, few: Side): Promise<Sides> {
  const meters = [await openMeter(many.database), await openMeter(few.database)] as const;
  const measure = async (name: string, calls: number): Promise<readonly [Work[], Work[]]> => {
    const measured: [Work[], Work[]] = [[], []];
    for (let call = -warmUps; call < calls; call += 1) {
      for (const [place, side] of [many, few].entries()) {
        const statements = side.works.get(name) ?? [];
        const statement = statements[(call + warmUps) % statements.length] ?? "";
        const work = await (meters[place] as Meter).measure(statement);
        if (call >= 0) measured[place as 0 | 1].push(work);
      }
    }
    return measured;
  };
  return {
    names: [...few.works.keys()],
    unit: meters[0].unit,
    compare: async (name, calls, bar) => {
      let result = compareWork(...await measure(name, calls));
      // What the machine did beside it is measured again, longer.
      if (result.value > bar) result = compareWork(...await measure(name, calls * 4));
      return result;
    },
    [Symbol.asyncDispose]: async () => {
      for (const { database } of [many, few]) await database[Symbol.asyncDispose]();
    },
  };
}

function compareWork(many: readonly Work[], few: readonly Work[]): { value: number; note: string } {
  const timeOf = (works: readonly Work[]): number[] => works.map(({ ms }) => ms);
  const pagesOf = (works: readonly Work[]): number => median(works.map(({ pages }) => pages));
  return {
    value: median(quotients(timeOf(many), timeOf(few))),
    note: `${median(timeOf(few)).toFixed(2)} → ${median(timeOf(many)).toFixed(2)} ms, ` +
      `${pagesOf(few)} → ${pagesOf(many)} pages`,
  };
}
