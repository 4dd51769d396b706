-- Keeps the id under which the official channel has a file since just now, for further sends.
-- `request`: mediaId, providerUploadId; NULL where the channel no longer knows the kept one.
-- Of two uploads at once the later stays. Returns {}.
create or replace function public.keep_provider_upload(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
begin
  update messaging.media m
  set provider_upload_id = request->>'providerUploadId',
    provider_uploaded_at = case
      when request->>'providerUploadId' is not null then clock_timestamp()
    end
  where m.id = (request->>'mediaId')::uuid and m.status = 'stored';
  return '{}';
end;
$$;
