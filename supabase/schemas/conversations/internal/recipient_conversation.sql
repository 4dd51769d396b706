-- The conversation of the contact that a call is about: see resolve_recipient. Both are created where they are
-- missing.
create or replace function messaging.recipient_conversation(request jsonb)
returns messaging.conversations language plpgsql set search_path = '' as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  recipient constant record := messaging.resolve_recipient(instance_id, request);
begin
  return messaging.resolve_conversation(instance_id, (recipient.contact).id);
end;
$$;
