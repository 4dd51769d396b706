-- What a record shows of a message's file: {mediaId, mediaStatus, mediaUrl, mediaFilename, mediaMimeType,
-- mediaSize}. Type and size are what the provider says, once the file is stored what it is. mediaUrl is the
-- URL that the sending call gave, or the provider's own of a message from before this service kept files; who
-- answers puts a signed link in its place where there is a mediaId. NULL for a message without a file.
create or replace function messaging.message_media(media_id uuid, content jsonb)
returns jsonb language plpgsql stable parallel safe set search_path = '' as $$
declare
  file record;
begin
  if media_id is not null then
    select m.status, m.filename, m.mime_type, m.size into file
    from messaging.media m where m.id = message_media.media_id;
    return jsonb_build_object(
      'mediaId', media_id,
      'mediaStatus', coalesce(file.status, 'expired'),
      'mediaUrl', null,
      'mediaFilename', coalesce(content->>'mediaFilename', file.filename),
      'mediaMimeType', file.mime_type,
      'mediaSize', file.size
    );
  end if;
  if content->>'mediaUrl' is not null or content->>'mediaFilename' is not null then
    return jsonb_build_object(
      'mediaId', null, 'mediaStatus', null, 'mediaUrl', content->>'mediaUrl',
      'mediaFilename', content->>'mediaFilename', 'mediaMimeType', null, 'mediaSize', null
    );
  end if;
  return null;
end;
$$;
