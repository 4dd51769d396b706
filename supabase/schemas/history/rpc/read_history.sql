-- messages-context: the newest messages that were really sent to or received from one contact in a
-- period, oldest first. `request`: instanceId, phone | contactId | userId, startsAt and endsAt (Unix seconds;
-- the end is not included), limit, fromMe (true for sent only, false for received only, NULL for both).
-- Returns {contact {name, phone, displayPhone, shown}, messages, hasMore}: displayPhone is the phone to show
-- now, shown the contact as message_contact has it. contact is NULL for an unknown phone or user id, and
-- hasMore says whether older ones of the period were left out. Instants are Unix milliseconds. Writes
-- nothing. Errors: MI031.
create or replace function public.read_history(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  contact messaging.contacts;
  page_size constant integer := (request->>'limit')::integer;
  starts_at constant timestamptz := to_timestamp((request->>'startsAt')::double precision);
  ends_at constant timestamptz := to_timestamp((request->>'endsAt')::double precision);
  wanted_direction constant text := case (request->>'fromMe')::boolean
    when true then 'outbound' when false then 'inbound'
  end;
begin
  contact := messaging.find_recipient((request->>'instanceId')::uuid, request);
  if contact.id is null then
    return jsonb_build_object('contact', null, 'messages', '[]'::jsonb, 'hasMore', false);
  end if;
  return messaging.history_page(
    contact.instance_id, contact.id, starts_at, ends_at, wanted_direction, page_size
  ) || jsonb_build_object(
    'contact', jsonb_build_object(
      'name', contact.name,
      'phone', contact.phone,
      'displayPhone', messaging.contact_display_phone(contact),
      'shown', messaging.read_message_contact(contact.id)->'contact'
    )
  );
end;
$$;
