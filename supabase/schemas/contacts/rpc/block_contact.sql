-- contacts-api block and unblock: sets whether a contact is blocked, as save_contact does, and says where its
-- channel knows the person. `request`: instanceId, phone | contactId | userId, isBlocked.
-- Returns {contactId, to}; to is NULL where the channel has no address of the person.
-- Errors: MI031, MI035.
create or replace function public.block_contact(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  saved constant jsonb := public.save_contact(
    (request - 'isBlocked') || jsonb_build_object(
      'fields', jsonb_build_object('isBlocked', request->'isBlocked'), 'tags', null, 'idempotency', null
    )
  );
begin
  return (
    select jsonb_build_object('contactId', c.id, 'to', messaging.contact_send_address(c, null))
    from messaging.contacts c
    where c.id = (saved->>'contactId')::uuid
  );
end;
$$;
