-- Gives a message that is stored already its file, where that is not there and now came with the event: the
-- delivery is made again where the storage had failed. The caller holds lock_provider_messages.
create or replace function messaging.attach_embedded_file(instance_id uuid, event jsonb)
returns void language plpgsql set search_path = '' as $$
declare
  file constant jsonb := messaging.read_event_file(event);
  message messaging.messages;
begin
  if file->'stored' is null then
    return;
  end if;
  select m.* into message
  from messaging.messages m
  join messaging.media f on f.id = any (array[m.media_id])
  where m.instance_id = attach_embedded_file.instance_id
    and m.provider_message_id = event->>'providerMessageId'
    and f.origin = 'channel' and f.status in ('pending', 'failed')
  limit 1
  for no key update of m;
  if not found then
    return;
  end if;
  perform messaging.add_channel_media(
    messaging.event_media_id(file), message.instance_id, message.contact_id,
    message.message_type, file
  );
  update messaging.messages m set media_id = messaging.event_media_id(file)
  where m.id = message.id;
  perform messaging.forget_media(array[message.media_id]);
end;
$$;
