-- A stored file that the storage no longer has, as after a restore without the bucket: it stays as `expired`
-- (see expire_media). `request`: mediaId. Returns {expired}: whether it was still thought to be there.
create or replace function public.expire_lost_media(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
begin
  return jsonb_build_object('expired', messaging.expire_media(
    array(
      select m.id from messaging.media m
      where m.id = (request->>'mediaId')::uuid and m.status = 'stored'
    ),
    '{"code": "lost", "message": "The storage no longer has the file."}'
  ) > 0);
end;
$$;
