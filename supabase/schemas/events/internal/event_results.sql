-- The results of settle_event_deliveries, read: what the receiver said, and what it means.
create or replace function messaging.event_results(request jsonb)
returns table (
  delivery_id uuid,
  claim_token uuid,
  is_success boolean,
  is_gone boolean,
  retry_after_ms bigint,
  attempt jsonb
)
language sql
immutable
set search_path = ''
as $$
  select (r.result->>'deliveryId')::uuid, (r.result->>'claimToken')::uuid,
    coalesce((r.result->>'status')::integer between 200 and 299, false),
    coalesce((r.result->>'status')::integer = 410, false),
    (r.result->>'retryAfterMs')::bigint,
    r.result
  from jsonb_array_elements(request->'results') as r(result);
$$;
