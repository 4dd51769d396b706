-- The data of a message's event: the message's record (see message_record) and its contact as they were
-- then, with the price that a delivery has got since: see shown_price.
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
  ) || messaging.message_contact(
    message.contact_id, message.contact_phone, message.contact_name, message.contact_identities
  );
begin
  if message.media is not null then
    data := data || message.media;
  end if;
  if type = 'message.sent' and message.status <> 'sent' then
    data := data || '{"status": "sent", "deliveredAt": null, "readAt": null}';
  end if;
  return messaging.fit_event_data(data);
end;
$$;
