-- Records contact.identity_changed: the provider has given a contact another user id. `event` as in
-- record_number_change.
create or replace function messaging.record_identity_change(contact messaging.contacts, event jsonb)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.record_event(
    contact.instance_id, contact.id, 'contact.identity_changed', jsonb_build_object(
      'contactId', contact.id,
      'phone', messaging.contact_display_phone(contact),
      'name', contact.name,
      'reason', 'user_id_changed',
      'userId', event->'newAddress',
      'previousUserId', event->'oldAddress'
    )
  );
end;
$$;
