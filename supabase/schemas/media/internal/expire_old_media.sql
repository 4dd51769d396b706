-- Lets files go when their time is over: see expire_media. Returns how many it changed.
create or replace function messaging.expire_old_media(media_ids uuid[])
returns integer language plpgsql set search_path = '' as $$
begin
  return messaging.expire_media(
    media_ids,
    '{"code": "retention", "message": "The file is past the retention time."}'
  );
end;
$$;
