-- Lets a message of this instance have an uploaded or a received file: it must be there, and stays from
-- now on for as long as its message. Locks the file's row, so that it cannot expire meanwhile.
-- Errors: MI051 (none of the instance's), MI052 (still being fetched), MI053 (could not be fetched),
-- MI054 (gone).
create or replace function messaging.take_media(instance_id uuid, media_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
declare
  media messaging.media;
begin
  select m.* into media
  from messaging.media m
  where m.id = take_media.media_id and m.instance_id = take_media.instance_id
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
  if media.expires_at is not null then
    update messaging.media m set expires_at = null where m.id = media.id;
  end if;
end;
$$;
