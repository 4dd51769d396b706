-- Counts a request against its token's allowance of `requests_per_minute` for the function (see
-- spend_requests); NULL is no limit. Returns what describe_rate_limit says; NULL where there is no limit.
create or replace function messaging.count_request(
  token_id uuid, function_name text, requests_per_minute integer
) returns jsonb language plpgsql set search_path = '' as $$
declare
  whole_at timestamptz;
begin
  if requests_per_minute is null then
    return null;
  end if;
  whole_at := messaging.spend_requests(token_id, function_name, requests_per_minute, 1);
  if whole_at is not null then
    return messaging.describe_rate_limit(
      requests_per_minute,
      messaging.allowance_seconds_left(requests_per_minute, whole_at, 0, clock_timestamp()), true
    );
  end if;
  select r.whole_at into whole_at
  from messaging.rate_limits r
  where r.token_id = count_request.token_id and r.function_name = count_request.function_name;
  return messaging.describe_rate_limit(
    requests_per_minute,
    messaging.allowance_seconds_left(requests_per_minute, whole_at, 0, clock_timestamp()), false
  );
end;
$$;
