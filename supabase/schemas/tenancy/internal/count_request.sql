-- Counts a request against its token's allowance of `requests_per_minute` for the function; NULL is
-- no limit. A whole allowance may be used at once; it comes back evenly over a minute.
-- Returns {limit, remaining, resetSeconds, retryAfterSeconds}, seconds rounded up; the last is NULL
-- where the request is allowed. A refused request uses nothing. NULL where there is no limit.
create or replace function messaging.count_request(
  token_id uuid,
  function_name text,
  requests_per_minute integer
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  share constant interval := interval '1 minute' / requests_per_minute;
  whole_at timestamptz;
  seconds_left double precision;
  is_allowed boolean;
begin
  if requests_per_minute is null then
    return null;
  end if;
  -- The clock is read under the row's lock, so that simultaneous requests are counted in order.
  insert into messaging.rate_limits as r (token_id, function_name, whole_at)
  values (count_request.token_id, count_request.function_name, clock_timestamp() + share)
  on conflict on constraint rate_limits_pkey do update
  set whole_at = greatest(r.whole_at, clock_timestamp()) + share
  where r.whole_at + share <= clock_timestamp() + interval '1 minute'
  returning r.whole_at into whole_at;
  is_allowed := found;
  if not is_allowed then
    select r.whole_at into whole_at
    from messaging.rate_limits r
    where r.token_id = count_request.token_id and r.function_name = count_request.function_name;
  end if;
  seconds_left := greatest(extract(epoch from whole_at - clock_timestamp()), 0);
  return jsonb_build_object(
    'limit', requests_per_minute,
    'remaining', case
      when is_allowed then floor((60 - seconds_left) / 60 * requests_per_minute + 1e-6)
      else 0
    end,
    'resetSeconds', ceil(seconds_left),
    'retryAfterSeconds', case
      when not is_allowed
      then greatest(ceil(seconds_left + extract(epoch from share) - 60), 1)
    end
  );
end;
$$;
revoke all
on function messaging.count_request(uuid, text, integer)
from public, anon, authenticated;
grant execute on function messaging.count_request(uuid, text, integer) to service_role;
