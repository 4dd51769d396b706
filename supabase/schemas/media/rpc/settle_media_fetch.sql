-- Records how the fetching of a file ended, with its outbox row. `request`: outboxId, claimToken, mediaId,
-- outcome (stored | failed | expired | retry), error {code, message}, retryAfterMs; of a stored one
-- mimeType, size, sha256, and asksTranscript, whether its words are to be written down.
-- `isOutage`: the storage failed, not the file. Such an attempt does not count on the file's first day.
-- After its last attempt a file is `failed`. Only the holder of the claim settles.
-- `nextLeaseSeconds`: claims the next file for so long, in the same transaction; absent for none. With
-- crowdingInstances (see claim_outbox).
-- Returns {status, isForgotten, next}: the file's status now, NULL where the claim was lost; isForgotten
-- says that a stored file is wanted no more, and is to be deleted; next is the file that was claimed
-- (see take_media_fetches), NULL for none.
create or replace function public.settle_media_fetch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  settled constant jsonb := messaging.record_media_fetch(request);
  lease_seconds constant integer := (request->>'nextLeaseSeconds')::integer;
begin
  return settled || jsonb_build_object('next', case
    when lease_seconds is not null then messaging.take_media_fetches(
      1, lease_seconds, request->'crowdingInstances'
    )->0
  end);
end;
$$;
