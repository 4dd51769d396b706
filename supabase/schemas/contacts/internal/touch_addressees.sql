-- As touch_contacts, for contacts to whom a message has just been sent. A statement of its own: the
-- callers are the settlements, which are hot, and their settings of the planner hold here.
create or replace function messaging.touch_addressees(contact_ids uuid[], sent_at timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.contact_activity as a (
    contact_id, instance_id, updated_at, last_message_at
  )
  select c.id, c.instance_id,
    messaging.change_instant(c.instance_id),
    touch_addressees.sent_at
  from messaging.contacts c
  where c.id = any (contact_ids)
  order by c.id
  on conflict on constraint contact_activity_pkey do update
  set updated_at = greatest(a.updated_at, excluded.updated_at),
    last_message_at = greatest(a.last_message_at, excluded.last_message_at),
    awaits_reply = a.awaits_reply and coalesce(a.last_message_at > excluded.last_message_at, false);
end;
$$;
