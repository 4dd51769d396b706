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
