-- Records an inbound message whose sender record_inbound_messages does not find: a new person, or one of
-- several contacts' addresses, see resolve_sender. `plain` is what read_plain_events reads of `event`.
-- The caller holds lock_plain_events, and waits for the contacts of the addresses.
-- Errors: MI055, as resolve_sender; the call must be repeated.
create or replace function messaging.add_inbound_message(plain messaging.plain_event, event jsonb)
returns void language plpgsql set search_path = '' as $$
declare
  contact constant messaging.contacts := messaging.resolve_sender(plain.instance_id, event);
begin
  plain.contact_id := contact.id;
  perform messaging.resolve_conversation(plain.instance_id, contact.id);
  if messaging.record_inbound_messages(array[plain]) = '{}' then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
end;
$$;
