-- Adds the file of a message that a provider reports, and promises to fetch it at once, unless it came with
-- the event: `stored` {mediaId, mimeType, size, sha256} names the row of begin_upload, whose file lies in
-- the storage; `fault` {code, message} says why it is not kept. `file`: what the
-- event says of it, {source, mimeType, sha256 (hex), size, filename, transcript}, all but source optional.
-- `message_type`: the type of the message, which decides the file's kind. The caller stores the id with the message, in the same transaction.
create or replace function messaging.add_channel_media(
  media_id uuid,
  instance_id uuid,
  contact_id uuid,
  message_type text,
  file jsonb
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  kind constant text := messaging.media_kind(message_type);
begin
  if file->'stored' is not null and messaging.take_embedded_file(
    add_channel_media.media_id, add_channel_media.instance_id, add_channel_media.contact_id,
    kind, file
  ) then
    return;
  end if;
  insert into messaging.media (
    id, instance_id, contact_id, origin, kind, mime_type, size, sha256, filename, storage_path,
    source, transcript, created_at, status, last_error
  )
  values (
    add_channel_media.media_id, add_channel_media.instance_id, add_channel_media.contact_id,
    'channel', kind, file->>'mimeType', (file->>'size')::bigint,
    file->>'sha256', file->>'filename',
    messaging.media_path(add_channel_media.instance_id, add_channel_media.media_id),
    file->'source', file->>'transcript', clock_timestamp(),
    case when file->'fault' is null then 'pending' else 'failed' end, file->'fault'
  );
  if file->'fault' is not null then
    return;
  end if;
  insert into messaging.outbox (workspace_id, kind, payload)
  select i.workspace_id, 'media_fetch',
    jsonb_build_object('instanceId', i.id, 'mediaId', add_channel_media.media_id)
  from messaging.instances i
  where i.id = add_channel_media.instance_id;
end;
$$;
