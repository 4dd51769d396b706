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
