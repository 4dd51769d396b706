-- accept_message: counts a recorded call against its token's allowance, last, since the row of the
-- allowance is then locked until commit. `token_id`: the client that the transaction has
-- authenticated; NULL where the caller did so before, and has counted the call.
-- Returns `recorded`, with rateLimit (see describe_rate_limit; NULL where there is no limit) if it was
-- counted here. Errors: MI022 where nothing is left of the allowance.
create or replace function messaging.count_recorded_call(
  recorded jsonb, token_id uuid, function_name text, requests_per_minute integer
) returns jsonb language plpgsql set search_path = '' as $$
declare
  share constant interval := interval '1 minute' / requests_per_minute;
  whole_at timestamptz;
  seconds_left double precision;
begin
  if token_id is null then
    return recorded;
  elsif requests_per_minute is null then
    return recorded || '{"rateLimit": null}';
  end if;
  -- An update starts faster than the upsert of spend_requests, which is left to the first call.
  update messaging.rate_limits r
  set whole_at = messaging.spent_allowance(r.whole_at, share, clock_timestamp())
  where r.token_id = count_recorded_call.token_id
    and r.function_name = count_recorded_call.function_name
    and messaging.suffices_allowance(r.whole_at, share, clock_timestamp())
  returning r.whole_at into whole_at;
  if whole_at is null then
    whole_at := messaging.spend_requests(token_id, function_name, requests_per_minute, 1);
  end if;
  if whole_at is null then
    raise exception using errcode = 'MI022', message = 'authenticate_anew';
  end if;
  seconds_left := messaging.allowance_seconds_left(
    requests_per_minute, whole_at, 0, clock_timestamp()
  );
  return recorded || jsonb_build_object(
    'rateLimit', messaging.describe_rate_limit(requests_per_minute, seconds_left, true)
  );
end;
$$;
