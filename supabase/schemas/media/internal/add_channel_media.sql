-- Adds the file of a message that a provider reports, and promises to fetch it at once, unless it came with
-- the event: `stored` {mediaId, mimeType, size, sha256} names the row of begin_upload, and its file lies in
-- the storage; `fault` {code, message} says why it is not kept. `file`: what the
-- event says of it, {source, mimeType, sha256 (hex), size, filename, transcript}, all but source optional.
-- `message_type`: the type of the message, which decides the file's kind. The caller stores the id with the
-- message, in the same transaction.
create or replace function messaging.add_channel_media(
  media_id uuid, instance_id uuid, contact_id uuid, message_type text, file jsonb
) returns void language plpgsql set search_path = '' as $$
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

-- Makes the row of a file that came with its event the message's: it lies in the storage already. `file` as
-- in add_channel_media. Returns false where the row is gone: it is swept when nobody takes it over.
create or replace function messaging.take_embedded_file(
  media_id uuid, instance_id uuid, contact_id uuid, kind text, file jsonb
) returns boolean language plpgsql set search_path = '' as $$
begin
  update messaging.media m
  set origin = 'channel', contact_id = take_embedded_file.contact_id,
    kind = take_embedded_file.kind, mime_type = file->'stored'->>'mimeType',
    size = (file->'stored'->>'size')::bigint, sha256 = file->'stored'->>'sha256',
    filename = file->>'filename', transcript = file->>'transcript', status = 'stored',
    stored_at = clock_timestamp()
  where m.id = take_embedded_file.media_id
    and m.instance_id = take_embedded_file.instance_id
    and m.origin = 'upload' and m.status = 'pending';
  if not found then
    return false;
  end if;
  insert into messaging.outbox (workspace_id, kind, payload)
  select i.workspace_id, 'media_transcription',
    jsonb_build_object('instanceId', i.id, 'mediaId', take_embedded_file.media_id)
  from messaging.instances i
  where i.id = take_embedded_file.instance_id and i.transcribe_voice <> 'never'
    and take_embedded_file.kind = 'audio' and file->>'transcript' is null;
  return true;
end;
$$;
