import type { Sql } from "postgres";
import { enqueueText } from "./database/queue_calls.ts";

/**
 * Fills the queue of an instance with messages numbered from 0, `interval` seconds apart from now on:
 * one statement a table, whatever the number.
 */
export async function fillQueue(
  admin: Sql,
  instanceId: string,
  { messages, interval }: { readonly messages: number; readonly interval: number },
): Promise<void> {
  await enqueueText(admin, instanceId, { intervalSeconds: interval, message: "0" });
  await admin.begin(async (transaction) => {
    await transaction`
      insert into messaging.messages (id, instance_id, contact_id, conversation_id, direction, message_type,
        message, mode, interval_seconds, status, scheduled_for)
      select md5('waiting' || n)::uuid, first.instance_id, first.contact_id, first.conversation_id,
        'outbound', 'text', n::text, 'queued', ${interval}, 'queued',
        first.scheduled_for + n * ${interval} * interval '1 second'
      from generate_series(1, ${messages - 1}) n
      cross join (select * from messaging.messages where instance_id = ${instanceId}) as first`;
    await transaction`
      insert into messaging.message_queue (message_id, instance_id, scheduled_at, interval_seconds)
      select m.id, m.instance_id, m.scheduled_for, ${interval}
      from messaging.messages m where m.instance_id = ${instanceId} and m.message <> '0'
      order by m.scheduled_for`;
    await transaction`
      update messaging.pacing set last_slot_at = (select max(scheduled_at) from messaging.message_queue)
      where instance_id = ${instanceId}`;
  });
  await admin`analyze`;
}
