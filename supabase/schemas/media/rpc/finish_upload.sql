-- media-api: records that an uploaded file lies whole in the storage. What no message names within 30
-- days, or within the instance's retention of files, expires.
-- `request`: instanceId, mediaId, size, sha256 (hex), idempotency (see begin_idempotent). The file of a
-- repeated call is deleted again: the first one's counts.
-- Returns {mediaId, mimeType, size, sha256, expiresAt}, or {replayed}. Errors: MI007, MI008, MI051 (the
-- upload took longer than its row is kept).
create or replace function public.finish_upload(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  own_id constant uuid := (request->>'mediaId')::uuid;
  replayed constant jsonb := messaging.begin_idempotent(request);
  outcome jsonb;
begin
  if replayed is not null then
    perform messaging.forget_media(array[own_id]);
    return replayed;
  end if;
  update messaging.media m
  set status = 'stored', size = (request->>'size')::bigint, sha256 = request->>'sha256',
    stored_at = clock_timestamp(), 
    expires_at = clock_timestamp()
      + make_interval(days => least(30, coalesce(i.retention_media_days, 30)))
  from messaging.instances i
  where m.id = own_id and m.instance_id = (request->>'instanceId')::uuid and m.status = 'pending'
    and m.origin = 'upload' and i.id = m.instance_id
  returning jsonb_build_object(
    'mediaId', m.id,
    'mimeType', m.mime_type,
    'size', m.size,
    'sha256', m.sha256,
    'expiresAt', messaging.iso_in_zone(m.expires_at, i.time_zone)
  ) into outcome;
  if outcome is null then
    raise exception using errcode = 'MI051', message = 'media_not_found';
  end if;
  return messaging.keep_outcome(request, outcome);
end;
$$;
