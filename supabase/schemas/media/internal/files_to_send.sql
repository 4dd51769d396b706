-- Lets a message of this instance have an uploaded or a received file: it must be there (see lock_media_to_send), and
-- stays from now on for as long as its message. Errors: MI051 to MI054.
create or replace function messaging.take_media(instance_id uuid, media_id uuid)
returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.lock_media_to_send(take_media.instance_id, take_media.media_id);
  update messaging.media m set expires_at = null
  where m.id = take_media.media_id and m.expires_at is not null;
end;
$$;

-- Holds an uploaded or a received file of this instance to the end of the transaction, so that it cannot expire
-- meanwhile: it must be there.
-- Errors: MI051 (none of the instance's), MI052 (still being fetched), MI053 (could not be fetched),
-- MI054 (gone).
create or replace function messaging.lock_media_to_send(instance_id uuid, media_id uuid)
returns void language plpgsql set search_path = '' as $$
declare
  media messaging.media;
begin
  select m.* into media
  from messaging.media m
  where m.id = lock_media_to_send.media_id and m.instance_id = lock_media_to_send.instance_id
  for no key update;
  if media.id is null or media.origin = 'upload' and media.status = 'pending' then
    raise exception using errcode = 'MI051', message = 'media_not_found';
  elsif media.status = 'pending' then
    raise exception using errcode = 'MI052', message = 'media_pending';
  elsif media.status = 'failed' then
    raise exception using errcode = 'MI053', message = 'media_failed';
  elsif media.status = 'expired' or media.expires_at <= clock_timestamp() then
    raise exception using errcode = 'MI054', message = 'media_expired';
  end if;
end;
$$;

-- What a worker needs to send a message's file: see describe_media. A file that is gone is `expired`.
create or replace function messaging.file_to_send(media_id uuid)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  media messaging.media;
begin
  select m.* into media from messaging.media m where m.id = file_to_send.media_id;
  if media.id is null then
    return jsonb_build_object('mediaId', file_to_send.media_id, 'status', 'expired');
  end if;
  return messaging.describe_media(media);
end;
$$;

-- What a file is and where it lies: {mediaId, origin, kind, status, mimeType, size, sha256, fileName,
-- storagePath, providerUploadId, lastError}. An upload is expired when its time is over, although nothing has
-- deleted it yet. providerUploadId: the official channel's id of the file, which lives 30 days there and
-- is named in sends for 29; else NULL.
create or replace function messaging.describe_media(media messaging.media)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'mediaId', media.id,
    'origin', media.origin,
    'kind', media.kind,
    'status', case when media.expires_at <= clock_timestamp() then 'expired' else media.status end,
    'mimeType', media.mime_type,
    'size', media.size,
    'sha256', media.sha256,
    'fileName', media.filename,
    'storagePath', media.storage_path,
    'providerUploadId', case
      when media.provider_uploaded_at > clock_timestamp() - interval '29 days'
        then media.provider_upload_id
    end,
    'lastError', media.last_error
  );
end;
$$;
