-- What a record shows of a message's file: {mediaId, mediaStatus, mediaUrl}. mediaUrl is the URL that the
-- sending call gave, or the provider's own of a message from before this service kept files; who answers
-- puts a signed link in its place where there is a mediaId. NULL for a message without a file.
create or replace function messaging.message_media(media_id uuid, content jsonb)
returns jsonb
language plpgsql
stable
parallel safe
set search_path = ''
as $$
begin
  if media_id is not null then
    return jsonb_build_object(
      'mediaId', media_id,
      'mediaStatus', coalesce(
        (select m.status from messaging.media m where m.id = message_media.media_id), 'expired'
      ),
      'mediaUrl', null
    );
  end if;
  if content->>'mediaUrl' is not null then
    return jsonb_build_object(
      'mediaId', null, 'mediaStatus', null, 'mediaUrl', content->>'mediaUrl'
    );
  end if;
  return null;
end;
$$;
revoke all on function messaging.message_media(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.message_media(uuid, jsonb) to service_role;
