import type { Sql } from "postgres";
import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { measureMs } from "./load.ts";
import { alternate } from "./rounds.ts";
import { percentile } from "./statistics.ts";
import { createTenants, type Recipient } from "./tenants.ts";

const instances = 1_000;
const contactsEach = 50;
/** Measured contacts, each on its own instance, and the messages of each. */
const readers = 100;
const messagesEach = 200;
const limit = 100;
const few = 50_000;
const daySeconds = 86_400;

/** Reads a contact's newest messages from a small and from a large history. */
export const historyBench: Bench = {
  name: "history",
  title: `The ${limit} newest messages of one contact, ${instances} instances`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    await using manyStored = await server.createDatabase();
    await using fewStored = await server.createDatabase();
    const measured = await alternate(sizes.rounds, {
      many: await prepareReading(manyStored, sizes.stored),
      few: await prepareReading(fewStored, few),
    });
    const names = [formatStored(sizes.stored), formatStored(few)] as const;
    report.comparison({
      what: `${names[0]} : ${names[1]}`,
      over: measured.many,
      under: measured.few,
      names,
      unit: "ms a call",
      bar: { kind: "at most", value: 1.5 },
    });
  },
};

function formatStored(messages: number): string {
  return `${messages.toLocaleString("en-US")} messages`;
}

/** Stores the messages. @returns the median of one call per contact. */
async function prepareReading(
  database: BenchDatabase,
  messages: number,
): Promise<() => Promise<number>> {
  const recipients = await createTenants(database.admin, { instances, contactsEach });
  await storeMessages(database.admin, messages);
  const sql = database.connect(1);
  return async () => {
    const durationsMs: number[] = [];
    for (const recipient of recipients.slice(0, readers)) {
      durationsMs.push(await measureMs(() => readNewest(sql, recipient)));
    }
    return percentile(durationsMs, 50);
  };
}

/**
 * Writes messages of half a year in the order of their instants. Distributes the measured contacts'
 * messages evenly among all others, so that no two messages of a contact share a page.
 */
export async function storeMessages(admin: Sql, messages: number): Promise<void> {
  const share = readers * messagesEach / messages;
  await admin.begin(async (sql) => {
    // The rows are consistent. Checking each foreign key would take minutes.
    await sql`set local session_replication_role = replica`;
    await sql`set local work_mem = '256MB'`;
    await sql`
      with recipient as materialized (
        select row_number() over (order by phone, c.instance_id) - 1 as place,
          c.instance_id, c.contact_id, c.id
        from messaging.conversations c
        join messaging.contacts p on p.id = c.contact_id
      ),
      message as (
        select n, floor(n * ${share}::float8) as turn,
          floor(n * ${share}::float8) > floor((n - 1) * ${share}::float8) as is_read
        from generate_series(1, ${messages}::integer) as n
      )
      insert into messaging.messages (
        instance_id, contact_id, conversation_id, direction, message_type, message, status,
        provider_message_id, created_at, sent_at, delivered_at
      )
      select r.instance_id, r.contact_id, r.id,
        case when n % 2 = 0 then 'outbound' else 'inbound' end, 'text',
        'Seu pedido ' || n || ' saiu para entrega e chega hoje à tarde. Até logo.',
        case when n % 2 = 0 then 'delivered' else 'received' end, '3EB0' || md5(n::text),
        instant.at, instant.at, case when n % 2 = 0 then instant.at + interval '2 seconds' end
      from message
      join recipient r on r.place = case
        when is_read then turn::bigint % ${readers}::integer
        else ${readers}::integer
          + n::bigint * 7919 % (${instances * contactsEach - readers}::integer)
      end
      cross join lateral (
        select now() - interval '180 days' * (1 - n / ${messages}::float8) as at
      ) as instant`;
  });
  await admin`vacuum analyze messaging.messages`;
}

async function readNewest(sql: Sql, { instanceId, phone }: Recipient): Promise<void> {
  const now = Math.floor(Date.now() / 1_000);
  const request = {
    instanceId,
    phone,
    startsAt: now - 365 * daySeconds,
    endsAt: now + daySeconds,
    limit,
  };
  const [row] = await sql.unsafe<{ count: number }[]>(
    `select jsonb_array_length(public.read_history($1::text::jsonb)->'messages') as count`,
    [JSON.stringify(request)],
    { prepare: true },
  );
  if (row?.count !== limit) throw new Error(`${row?.count} messages were read`);
}
