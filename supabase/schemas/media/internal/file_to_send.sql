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
