-- admin-api: stores secrets of webhook endpoints that were sealed again. `request`: items [{endpointId,
-- formerSecret, formerPreviousSecret, sealedSecret, sealedPreviousSecret}]. Secrets that no longer equal
-- the former ones have been rotated meanwhile and stay.
-- Returns {replaced}: of how many endpoints.
create or replace function public.replace_endpoint_secrets(request jsonb)
returns jsonb language sql set search_path = '' set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
  with replaced as (
    update messaging.event_endpoints e
    set sealed_secret = item."sealedSecret", sealed_previous_secret = item."sealedPreviousSecret"
    from jsonb_to_recordset(request->'items') as item(
      "endpointId" uuid, "formerSecret" text, "formerPreviousSecret" text, "sealedSecret" text,
      "sealedPreviousSecret" text
    )
    where e.id = item."endpointId" and e.sealed_secret = item."formerSecret"
      and e.sealed_previous_secret is not distinct from item."formerPreviousSecret"
    returning e.id
  )
  select jsonb_build_object('replaced', count(*)) from replaced;
$$;
