-- Raises MI005 for a blocked contact, and MI006 for a free-form message on the official channel to
-- a contact whose last message is known and older than 24 hours (templates may go then).
create or replace function messaging.refuse_unreachable_contact(
  instance messaging.instances,
  contact messaging.contacts,
  message_type text
)
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if contact.is_blocked then
    raise exception using errcode = 'MI005', message = 'contact_blocked';
  end if;
  if instance.provider_class = 'official' and message_type <> 'template'
    and contact.last_inbound_at < clock_timestamp() - interval '24 hours' then
    raise exception using errcode = 'MI006', message = 'outside_conversation_window';
  end if;
end;
$$;
revoke all
on function messaging.refuse_unreachable_contact(messaging.instances, messaging.contacts, text)
from public, anon, authenticated;
grant execute
on function messaging.refuse_unreachable_contact(messaging.instances, messaging.contacts, text)
to service_role;
