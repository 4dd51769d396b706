-- What a worker needs to fetch a file that a provider has, for the claim of its outbox row.
-- `request`: mediaId. Returns {file}: NULL where there is nothing to fetch (any more). A file that
-- a person has sent round again is `pending` again.
create or replace function public.begin_media_fetch(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
begin
  update messaging.media m
  set status = 'pending'
  where m.id = (request->>'mediaId')::uuid and m.status = 'failed' and m.source is not null;
  return jsonb_build_object('file', (
    select jsonb_build_object(
      'mediaId', m.id,
      'kind', m.kind,
      'mimeType', m.mime_type,
      'sha256', m.sha256,
      'filename', m.filename,
      'source', m.source,
      'storagePath', m.storage_path,
      'hadWrongSha256', coalesce(m.last_error->>'code' = 'wrong_sha256', false),
      'isVoice', messaging.transcribes_voice(m),
      'instanceId', i.id,
      'provider', i.provider,
      'sealedProviderConfig', i.sealed_provider_config
    )
    from messaging.media m
    join messaging.instances i on i.id = m.instance_id
    where m.id = (request->>'mediaId')::uuid and m.status = 'pending' and m.origin = 'channel'
  ));
end;
$$;
