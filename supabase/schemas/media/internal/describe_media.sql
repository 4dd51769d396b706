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
