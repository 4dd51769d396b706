-- media-api: the row of a file that a caller uploads. It is there before the file, so that a file
-- can be deleted where its upload breaks off (see sweep_uploads).
-- `request`: instanceId, mediaId, kind, mimeType, fileName. Returns {storagePath}.
create or replace function public.begin_upload(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  media_id constant uuid := (request->>'mediaId')::uuid;
  path constant text := messaging.media_path(of_instance, media_id);
begin
  insert into messaging.media (id, instance_id, origin, kind, mime_type, filename, storage_path)
  values (
    media_id, of_instance, 'upload', request->>'kind', request->>'mimeType', request->>'fileName',
    path
  );
  return jsonb_build_object('storagePath', path);
end;
$$;
