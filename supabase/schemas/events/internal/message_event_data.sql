-- The data of a message's event: the message's record (see message_record) as it was then, its contact,
-- and of a received message what its content refers to. Reads no table.
create or replace function messaging.message_event_data(
  type text,
  message messaging.message_snapshot,
  time_zone text
)
returns jsonb
language plpgsql
stable
parallel safe
set search_path = ''
as $$
declare
  data jsonb := messaging.message_record(
    jsonb_populate_record(null::messaging.messages, to_jsonb(message)), time_zone, false
  ) || jsonb_build_object('contact', jsonb_build_object(
    'contactId', message.contact_id,
    'phone', message.contact_phone,
    'name', message.contact_name
  ));
begin
  if message.media is not null then
    data := data || message.media;
  end if;
  if type = 'message.sent' and message.status <> 'sent' then
    data := data || '{"status": "sent", "deliveredAt": null, "readAt": null}';
  elsif type = 'message.received' then
    data := data || jsonb_build_object(
      'choice', message.content->'choice',
      'quotedMessageId', message.quoted_message_id
    );
  end if;
  return messaging.fit_event_data(data);
end;
$$;
revoke all
on function messaging.message_event_data(text, messaging.message_snapshot, text)
from public, anon, authenticated;
grant execute
on function messaging.message_event_data(text, messaging.message_snapshot, text)
to service_role;
