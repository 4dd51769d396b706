-- Raises what send_refusal says: MI005 for a blocked contact, MI006 for a closed conversation window,
-- MI034 for marketing that the contact has denied. Without an instance no window counts. Marketing is
-- judged by what counts for the person: see effective_consent.
create or replace function messaging.refuse_send(
  instance messaging.instances, contact messaging.contacts, message_type text, purpose text
) returns void language plpgsql stable set search_path = '' as $$
declare
  refusal constant text := messaging.send_refusal(
    contact.is_blocked, messaging.contact_consent(contact, purpose), contact.last_inbound_at, instance.provider_class,
    message_type, purpose, clock_timestamp()
  );
begin
  if refusal = 'contact_blocked' then
    raise exception using errcode = 'MI005', message = 'contact_blocked';
  elsif refusal = 'outside_conversation_window' then
    raise exception using errcode = 'MI006', message = 'outside_conversation_window';
  elsif refusal = 'contact_opted_out' then
    raise exception using errcode = 'MI034', message = 'contact_opted_out';
  end if;
end;
$$;
