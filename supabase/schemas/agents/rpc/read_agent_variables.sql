-- What fills the variables of the text that opens a conversation, besides what its call brings.
-- `request`: instanceId, phone | contactId | userId. Writes nothing. Errors: MI031.
-- Returns {collectedData, name, phone}: as the contact is known, all empty for an unknown one.
create or replace function public.read_agent_variables(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  contact messaging.contacts := messaging.find_recipient(
    (request->>'instanceId')::uuid, request
  );
begin
  return jsonb_build_object(
    'collectedData', coalesce((
      select s.collected_data
      from messaging.conversations c
      join messaging.agent_sessions s on s.conversation_id = c.id
      where c.contact_id = contact.id
    ), '{}'),
    'name', contact.name,
    'phone', messaging.contact_display_phone(contact)
  );
end;
$$;
