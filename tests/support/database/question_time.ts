/** Lets time pass for one question alone, so that many live beside each other. */

import type { Sql } from "postgres";

/** An open question left so many seconds earlier. Nothing happens to one that is not open. */
export async function moveBack(
  admin: Sql,
  instanceId: string,
  key: string,
  seconds: number,
): Promise<void> {
  const by = admin`make_interval(secs => ${seconds})`;
  await admin`
    with moved as (
      update messaging.questions q
      set opened_at = opened_at - ${by}, expires_at = expires_at - ${by}, due_at = due_at - ${by}
      where q.instance_id = ${instanceId} and q.key = ${key} and q.status = 'open'
      returning q.message_id
    )
    update messaging.messages m set created_at = created_at - ${by}, sent_at = sent_at - ${by}
    from moved where m.id = moved.message_id`;
}

/** The message of a question is due now. */
export async function letWaitingLeave(admin: Sql, instanceId: string, key: string): Promise<void> {
  await admin`
    update messaging.message_queue w set scheduled_at = clock_timestamp(), visible_at = clock_timestamp()
    from messaging.questions q
    where q.instance_id = ${instanceId} and q.key = ${key} and w.message_id = q.message_id`;
}
