-- The state of a token's allowance that is whole at `whole_at`: {limit, remaining, resetSeconds,
-- retryAfterSeconds}, seconds rounded up; the last is NULL where the request is allowed. `later`: how
-- many requests were counted together with this one and after it.
create or replace function messaging.describe_rate_limit(
  requests_per_minute integer,
  whole_at timestamptz,
  later bigint,
  is_allowed boolean
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  share constant double precision := extract(epoch from interval '1 minute' / requests_per_minute);
  seconds_left constant double precision := greatest(
    extract(epoch from whole_at - clock_timestamp()) - later * share, 0
  );
begin
  return jsonb_build_object(
    'limit', requests_per_minute,
    'remaining', case
      when is_allowed then floor((60 - seconds_left) / 60 * requests_per_minute + 1e-6)
      else 0
    end,
    'resetSeconds', ceil(seconds_left),
    'retryAfterSeconds', case
      when not is_allowed then greatest(ceil(seconds_left + share - 60), 1)
    end
  );
end;
$$;
revoke all
on function messaging.describe_rate_limit(integer, timestamptz, bigint, boolean)
from public, anon, authenticated;
grant execute
on function messaging.describe_rate_limit(integer, timestamptz, bigint, boolean)
to service_role;
