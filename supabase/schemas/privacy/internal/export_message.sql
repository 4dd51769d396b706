-- A message of an export: its record, and what the record leaves out: content, and what is
-- kept of its file.
create or replace function messaging.export_message(message messaging.messages, zone text)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object('at', message.sent_at, 'id', message.id, 'item',
    messaging.message_record(message, zone, false)
    || coalesce(messaging.message_media(message.media_id, message.content), '{}')
    || jsonb_build_object(
      'content', message.content,
      'media', (
        select jsonb_build_object(
          'filename', f.filename, 'mimeType', f.mime_type, 'size', f.size, 'sha256', f.sha256,
          'transcript', f.transcript
        )
        from messaging.media f where f.id = message.media_id
      )
    ));
end;
$$;
