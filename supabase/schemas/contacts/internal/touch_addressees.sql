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
    -- change_instant, written out: the condition is the floor, which comes first.
    case
      when pg_advisory_xact_lock_shared(
        uuid_hash(c.instance_id) # 1163284301,
        (
          (floor(extract(epoch from clock_timestamp()) * 1000)::bigint & 4294967295) - 2147483648
        )::integer
      )::text is not null
        then date_trunc('milliseconds', clock_timestamp())
    end,
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
revoke all
on function messaging.touch_addressees(uuid[], timestamptz)
from public, anon, authenticated;
grant execute on function messaging.touch_addressees(uuid[], timestamptz) to service_role;
