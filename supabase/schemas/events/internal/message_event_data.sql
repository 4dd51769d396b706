-- The data of a message's event: its `record` (see message_record), its contact, and of a received
-- message what its content refers to. Reads no table.
create or replace function messaging.message_event_data(
  type text,
  record jsonb,
  content jsonb,
  phone text,
  name text
)
returns jsonb
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  data jsonb := record || jsonb_build_object('contact', jsonb_build_object(
    'contactId', record->'contactId', 'phone', phone, 'name', name
  ));
begin
  if type = 'message.sent' and record->>'status' <> 'sent' then
    data := data || '{"status": "sent", "deliveredAt": null, "readAt": null}';
  elsif type = 'message.received' then
    data := data || jsonb_build_object(
      'choice', content->'choice',
      'mediaId', null,
      'mediaStatus', null,
      'quotedMessageId', null
    );
  end if;
  return messaging.fit_event_data(data);
end;
$$;
revoke all
on function messaging.message_event_data(text, jsonb, jsonb, text, text)
from public, anon, authenticated;
grant execute
on function messaging.message_event_data(text, jsonb, jsonb, text, text)
to service_role;
