-- media-api: deletes an upload that failed, with what the storage has of it.
-- `request`: instanceId, mediaId. Returns {discarded}.
create or replace function public.discard_upload(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  found_id uuid;
begin
  select m.id into found_id
  from messaging.media m
  where m.id = (request->>'mediaId')::uuid and m.instance_id = (request->>'instanceId')::uuid
    and m.origin = 'upload' and m.status = 'pending';
  return jsonb_build_object('discarded', messaging.forget_media(array[found_id]) > 0);
end;
$$;
