-- What a worker needs to write down a voice message. `request`: mediaId. Returns {file}: {mediaId,
-- storagePath, mimeType, size}, NULL where there is nothing to write down, or not any more.
create or replace function public.begin_transcription(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select jsonb_build_object('file', (
    select jsonb_build_object(
      'mediaId', m.id,
      'storagePath', m.storage_path,
      'mimeType', m.mime_type,
      'size', m.size
    )
    from messaging.media m
    where m.id = (request->>'mediaId')::uuid and m.status = 'stored' and m.transcript is null
      and messaging.transcribes_voice(m)
  ));
$$;
