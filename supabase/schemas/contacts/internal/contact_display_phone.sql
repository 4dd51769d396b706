-- The phone to show for a contact: the one first given, unless the contact has announced another
-- number and has not written from an earlier one since. NULL for a contact that never showed a phone.
-- Only addresses of digits are phones: a changed user id is none, and who writes under a user id or LID
-- has taken no announced number back.
create or replace function messaging.contact_display_phone(contact messaging.contacts)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select case when newest.changed_by is not null then newest.address end
      from (
        select a.address, a.changed_by
        from messaging.contact_addresses a
        where a.contact_id = contact.id and a.address ~ '^[0-9]+$'
        order by a.proven_at desc
        limit 1
      ) as newest
    ),
    contact.phone
  );
end;
$$;
revoke all
on function messaging.contact_display_phone(messaging.contacts)
from public, anon, authenticated;
grant execute on function messaging.contact_display_phone(messaging.contacts) to service_role;
