-- Makes the row of a file that came with its event the message's: it lies in the storage already. `file` as
-- in add_channel_media. Returns false where the row is gone: it is swept when nobody takes it over.
create or replace function messaging.take_embedded_file(
  media_id uuid,
  instance_id uuid,
  contact_id uuid,
  kind text,
  file jsonb
)
returns boolean
language plpgsql
set search_path = ''
as $$
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
