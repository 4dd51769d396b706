-- Claims received files that are due to be fetched: claim_outbox and begin_media_fetch in one call.
-- `request`: maxRows, leaseSeconds, crowdingInstances (see claim_outbox). Returns {files: [{outboxId,
-- claimToken, file}]}.
create or replace function public.claim_media_fetches(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
begin
  return jsonb_build_object('files', messaging.take_media_fetches(
    (request->>'maxRows')::integer, (request->>'leaseSeconds')::integer, request->'crowdingInstances'
  ));
end;
$$;
