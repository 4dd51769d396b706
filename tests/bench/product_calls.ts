/**
 * Calls the product's SQL as product code does: one prepared statement per call through postgres.js, each
 * in its own transaction.
 */

import type { Sql } from "postgres";
import type { Recipient } from "./tenants.ts";

/** Text of all measured messages. */
export const messageText = "Olá! Seu pedido saiu para entrega e chega hoje à tarde. Até logo.";

/** The SQL of `createBenchSchema`. */
const benchSchema = `
create schema bench;
grant usage on schema bench to service_role;

-- One call: the instance is looked up, the message gets its slot and is stored.
create function bench.enqueue(
  message_id uuid, instance_id uuid, contact_id uuid, conversation_id uuid, content text,
  interval_seconds integer
)
returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  slot timestamptz;
  held_by text;
begin
  select i.* into strict instance from messaging.instances i where i.id = enqueue.instance_id;
  select e.slot, e.held_by into slot, held_by
  from messaging.enqueue_message(message_id, instance, interval_seconds, clock_timestamp(), '0') e;
  insert into messaging.messages (
    id, instance_id, contact_id, conversation_id, direction, message_type, message, mode,
    interval_seconds, status, scheduled_for, held_by
  ) values (
    message_id, instance.id, enqueue.contact_id, enqueue.conversation_id, 'outbound', 'text',
    content, 'queued', interval_seconds, 'queued', slot, held_by
  );
  return slot;
end;
$$;
grant execute on function bench.enqueue(uuid, uuid, uuid, uuid, text, integer) to service_role;

-- The queue's own function alone, for a message that is stored already.
create function bench.enqueue_stored(message_id uuid, instance_id uuid, interval_seconds integer)
returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
begin
  select i.* into strict instance from messaging.instances i where i.id = enqueue_stored.instance_id;
  return (
    messaging.enqueue_message(message_id, instance, interval_seconds, clock_timestamp(), '0')
  ).slot;
end;
$$;
grant execute on function bench.enqueue_stored(uuid, uuid, integer) to service_role;

-- The same two rows without a slot: same columns, checks, indexes and foreign keys.
create table bench.messages (
  like messaging.messages including all,
  foreign key (instance_id, contact_id, conversation_id)
    references messaging.conversations (instance_id, contact_id, id) on delete cascade
);
create table bench.message_queue (
  like messaging.message_queue including all,
  foreign key (message_id) references bench.messages (id) on delete cascade
    deferrable initially deferred
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
insert into bench.messages select * from messaging.messages;
grant select, insert on bench.messages, bench.message_queue to service_role;
`;

/** Creates database objects for the measurements. Call it after the tenants were created. */
export async function createBenchSchema(admin: Sql): Promise<void> {
  await admin.unsafe(benchSchema);
  await admin`vacuum analyze`;
}

/** Queues one message through the product's `enqueue_message`. */
export function enqueueMessage(
  sql: Sql,
  recipient: Recipient,
  intervalSeconds: number,
): Promise<unknown> {
  const { instanceId, contactId, conversationId } = recipient;
  return sql`select bench.enqueue(
    ${crypto.randomUUID()}, ${instanceId}, ${contactId}, ${conversationId}, ${messageText},
    ${intervalSeconds}
  )`.execute();
}

/** A stored message that is not queued yet. */
export interface StoredMessage {
  readonly messageId: string;
  readonly instanceId: string;
}

/** Stores messages for `enqueueStored`, spread over the recipients in turn. */
export async function storeMessages(admin: Sql, count: number): Promise<StoredMessage[]> {
  return await admin<StoredMessage[]>`
    with stored as (
      insert into messaging.messages (
        instance_id, contact_id, conversation_id, direction, message_type, message, mode, status
      )
      select c.instance_id, c.contact_id, c.id, 'outbound', 'text', ${messageText}, 'queued', 'queued'
      from generate_series(1, ${count}::integer) as n
      join (
        select row_number() over (order by contact_id) as place, * from messaging.conversations
      ) as c on c.place = n % (select count(*) from messaging.conversations) + 1
      returning id, instance_id
    )
    select s.id as "messageId", s.instance_id as "instanceId"
    from stored s
    order by row_number() over (partition by s.instance_id), s.instance_id`;
}

/** Queues a stored message through the product's `enqueue_message`, and nothing else. */
export function enqueueStored(
  sql: Sql,
  { messageId, instanceId }: StoredMessage,
  intervalSeconds: number,
): Promise<unknown> {
  return sql`select bench.enqueue_stored(${messageId}, ${instanceId}, ${intervalSeconds})`
    .execute();
}

/** Inserts the rows of a queued message, without giving it a slot. */
export function insertPlainly(
  sql: Sql,
  recipient: Recipient,
  intervalSeconds: number,
): Promise<unknown> {
  const { instanceId, contactId, conversationId } = recipient;
  const messageId = crypto.randomUUID();
  return sql`
    with message as (
      insert into bench.messages (
        id, instance_id, contact_id, conversation_id, direction, message_type, message, mode,
        interval_seconds, status, scheduled_for
      ) values (
        ${messageId}, ${instanceId}, ${contactId}, ${conversationId}, 'outbound', 'text',
        ${messageText}, 'queued', ${intervalSeconds}, 'queued', now()
      )
    )
    insert into bench.message_queue (message_id, instance_id, lane, scheduled_at, interval_seconds)
    values (${messageId}, ${instanceId}, 'paced', now(), ${intervalSeconds})`.execute();
}

/** Calls `accept_message`, which queues a message and records everything else of a call. */
export function acceptMessage(
  sql: Sql,
  recipient: Recipient,
  intervalSeconds: number,
): Promise<unknown> {
  return callProduct(sql, "accept_message", {
    instanceId: recipient.instanceId,
    phone: recipient.phone,
    idempotency: null,
    assignment: null,
    message: { messageType: "text", message: messageText },
    delivery: { queued: true, delaySeconds: 0, intervalSeconds, leaseSeconds: 35 },
  });
}

interface Claimed {
  readonly messages: readonly { readonly messageId: string; readonly claimToken: string }[];
}

/** Claims one batch and settles it as accepted. @returns the number of messages. */
export async function workOffProduct(sql: Sql, batchSize: number): Promise<number> {
  const { messages } = await claimMessages(sql, batchSize);
  if (messages.length === 0) return 0;
  await callProduct(sql, "settle_messages", {
    results: messages.map(({ messageId, claimToken }) => ({
      messageId,
      claimToken,
      outcome: "accepted",
      providerMessageId: messageId,
    })),
    idempotency: null,
    response: null,
  });
  return messages.length;
}

/** Claims one batch. */
export async function claimMessages(sql: Sql, maxMessages: number): Promise<Claimed> {
  return await callProduct<Claimed>(sql, "claim_due_messages", { maxMessages, leaseSeconds: 35 });
}

async function callProduct<Result>(
  sql: Sql,
  name: string,
  request: Record<string, unknown>,
): Promise<Result> {
  const rows = await sql.unsafe(
    `select public.${name}($1::text::jsonb) as result`,
    [JSON.stringify(request)],
    { prepare: true },
  );
  return rows[0]?.["result"] as Result;
}
