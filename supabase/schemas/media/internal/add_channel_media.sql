-- Adds the file of a message that a provider reports, and promises to fetch it at once. `file`: what the
-- event says of it, {source, mimeType, sha256 (hex), size, filename}, all but source optional.
-- `kind`: the type of the message. The caller stores the id with the message, in the same transaction.
create or replace function messaging.add_channel_media(
  media_id uuid,
  instance_id uuid,
  contact_id uuid,
  kind text,
  file jsonb
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.media (
    id, instance_id, contact_id, origin, kind, mime_type, size, sha256, filename, storage_path,
    source, created_at
  )
  values (
    add_channel_media.media_id, add_channel_media.instance_id, add_channel_media.contact_id,
    'channel', add_channel_media.kind, file->>'mimeType', (file->>'size')::bigint,
    file->>'sha256', file->>'filename',
    messaging.media_path(add_channel_media.instance_id, add_channel_media.media_id),
    file->'source', clock_timestamp()
  );
  insert into messaging.outbox (workspace_id, kind, payload)
  select i.workspace_id, 'media_fetch',
    jsonb_build_object('instanceId', i.id, 'mediaId', add_channel_media.media_id)
  from messaging.instances i
  where i.id = add_channel_media.instance_id;
end;
$$;
revoke all
on function messaging.add_channel_media(uuid, uuid, uuid, text, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.add_channel_media(uuid, uuid, uuid, text, jsonb)
to service_role;
