-- As touch_contacts, for contacts to whom a message has just been sent, in one statement. The callers
-- are the settlements: theirs is the hottest path, and their settings of the planner hold here.
create or replace function messaging.touch_addressees(contact_ids uuid[], sent_at timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
declare
  touched integer;
begin
  update messaging.contact_activity a
  set updated_at = greatest(a.updated_at, date_trunc('milliseconds', clock_timestamp())),
    last_message_at = greatest(a.last_message_at, touch_addressees.sent_at),
    awaits_reply = a.awaits_reply and coalesce(a.last_message_at > touch_addressees.sent_at, false)
  where a.contact_id = any (contact_ids) and messaging.change_instant(a.instance_id) is not null;
  get diagnostics touched = row_count;
  if touched < cardinality(contact_ids) then
    perform messaging.touch_contacts(contact_ids);
    perform messaging.read_last_messages(contact_ids);
  end if;
end;
$$;
revoke all
on function messaging.touch_addressees(uuid[], timestamptz)
from public, anon, authenticated;
grant execute on function messaging.touch_addressees(uuid[], timestamptz) to service_role;
