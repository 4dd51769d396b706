-- Records that something has changed that reading these contacts or their conversations shows. The
-- caller has changed it in this transaction, and locks nothing afterwards that another transaction
-- holds while it waits for a contact: see contact_activity.
-- `sent_at`: when messages were sent to them, by their place; NULL where the change is another one.
-- Returns their rows; none for a contact that is no more.
-- Locks their rows in the order of the ids. An upsert, because its look-up is always by the primary key;
-- an update's may be by another index where statistics are poor, in another order.
create or replace function messaging.touch_contacts(
  contact_ids uuid[], sent_at timestamptz[] default null
) returns setof messaging.contact_activity language plpgsql set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return query insert into messaging.contact_activity as a (
    contact_id, instance_id, updated_at, last_message_at
  )
  select living.id, living.instance_id, messaging.change_instant(living.instance_id), living.sent_at
  from (
    select coalesce(c.merged_into, c.id) as id, c.instance_id, max(noted.sent_at) as sent_at
    from unnest(contact_ids, touch_contacts.sent_at) as noted(id, sent_at)
    cross join lateral (
      select own.id, own.merged_into, own.instance_id from messaging.contacts own
      where own.id = noted.id
      offset 0
    ) as c
    group by 1, 2
  ) as living
  order by living.id
  on conflict on constraint contact_activity_pkey do update
  set updated_at = greatest(a.updated_at, excluded.updated_at),
    last_message_at = greatest(a.last_message_at, excluded.last_message_at),
    awaits_reply = messaging.awaits_reply_after(
      a.awaits_reply, a.last_message_at, excluded.last_message_at
    )
  returning a.*;
end;
$$;
