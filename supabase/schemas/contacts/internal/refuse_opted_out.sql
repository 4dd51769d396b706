-- Raises MI034 for a marketing message to a contact that has denied marketing.
create or replace function messaging.refuse_opted_out(contact messaging.contacts, purpose text)
returns void
language plpgsql
immutable
set search_path = ''
as $$
begin
  if purpose = 'marketing' and contact.consent_marketing = 'denied' then
    raise exception using errcode = 'MI034', message = 'contact_opted_out';
  end if;
end;
$$;
revoke all
on function messaging.refuse_opted_out(messaging.contacts, text)
from public, anon, authenticated;
grant execute on function messaging.refuse_opted_out(messaging.contacts, text) to service_role;
