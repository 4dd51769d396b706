import type { Sql, TransactionSql } from "postgres";
import { messageText } from "./product_calls.ts";

/**
 * Distribution of waiting messages over instances. `due`: all are due. `ahead`: 100 instances have one
 * due message, all others are due later. `skewed`: one instance has nearly all messages and one in
 * flight, 100 others have one due message each. `unpaced`: all are unpaced and due.
 */
export type Distribution = "due" | "ahead" | "skewed" | "unpaced";

/** The first contact of each instance comes first, so the first messages belong to different instances. */
const writeMessages = `
with recipient as (
  select row_number() over (order by p.phone, c.instance_id) - 1 as place, c.instance_id,
    c.contact_id, c.id
  from messaging.conversations c
  join messaging.contacts p on p.id = c.contact_id
)
insert into messaging.messages (
  instance_id, contact_id, conversation_id, direction, message_type, message, mode,
  interval_seconds, status, created_at
)
select r.instance_id, r.contact_id, r.id, 'outbound', 'text', $1, 'queued', 0, 'queued',
  now() + n * interval '1 microsecond'
from generate_series(0, $2::integer - 1) as n
join recipient r on r.place = n % (select count(*) from recipient)`;

const due = "now() - interval '1 hour' + place * interval '1 microsecond'";
const ahead = `case when place between 1 and 100 then ${due}
  else now() + interval '1 day' + place * interval '1 millisecond' end`;
const owner = "case when place between 1 and 100 then instance_id else first_instance end";

const columnsOf: Readonly<Record<Distribution, string>> = {
  due: `instance_id, 'paced', ${due}, null::timestamptz`,
  ahead: `instance_id, 'paced', ${ahead}, null::timestamptz`,
  skewed: `${owner}, 'paced', ${due}, null::timestamptz`,
  unpaced: `instance_id, 'unpaced', ${due}, ${due}`,
};

const landAll = `
update messaging.dispatch
set in_flight = null, lease_until = null, next_due_at = 'infinity', paced_from = '-infinity',
  queue_from = '-infinity'`;

const wakeAll = `
update messaging.dispatch d
set next_due_at = q.head
from (
  select instance_id, min(scheduled_at) as head from messaging.message_queue
  where lane = 'paced' group by instance_id
) as q
where q.instance_id = d.instance_id`;

/** The skewed instance is the one with most messages. */
const takeFlight = `
with owner as (
  select instance_id from messaging.message_queue group by instance_id order by count(*) desc limit 1
),
head as (
  update messaging.message_queue
  set claim_token = gen_random_uuid(), lease_until = now() + interval '1 day'
  where message_id = (
    select q.message_id from messaging.message_queue q join owner using (instance_id)
    order by q.scheduled_at, q.position limit 1
  )
  returning instance_id, message_id, lease_until
)
update messaging.dispatch d
set in_flight = head.message_id, lease_until = head.lease_until
from head where d.instance_id = head.instance_id`;

/** Replaces the queue's content by `count` new messages. */
export async function fillQueue(
  admin: Sql,
  count: number,
  distribution: Distribution,
): Promise<void> {
  await admin`truncate messaging.message_queue, messaging.messages`;
  await withoutTriggers(admin, (sql) => sql.unsafe(writeMessages, [messageText, count]));
  await arrangeQueue(admin, distribution);
}

/** Requeues the stored messages in another distribution. */
export async function arrangeQueue(admin: Sql, distribution: Distribution): Promise<void> {
  await admin`truncate messaging.message_queue`;
  await admin.unsafe(landAll);
  await withoutTriggers(admin, (sql) =>
    sql.unsafe(`
      insert into messaging.message_queue (message_id, instance_id, lane, scheduled_at, visible_at)
      select id, ${columnsOf[distribution]}
      from (
        select id, instance_id, row_number() over (order by created_at) - 1 as place,
          first_value(instance_id) over (order by created_at) as first_instance
        from messaging.messages
      ) as message`));
  await admin.unsafe(wakeAll);
  if (distribution === "skewed") await admin.unsafe(takeFlight);
  await admin`vacuum analyze`;
}

/** Skips foreign key checks: the rows are consistent, and checking would take minutes. */
async function withoutTriggers(
  admin: Sql,
  write: (sql: TransactionSql) => Promise<unknown>,
): Promise<void> {
  await admin.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await write(sql);
  });
}
