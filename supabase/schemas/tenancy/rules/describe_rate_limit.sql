-- The state of a token's allowance that is whole in `seconds_left`: {limit, remaining, resetSeconds,
-- retryAfterSeconds}, seconds rounded up; the last is NULL where the request is allowed.
create or replace function messaging.describe_rate_limit(
  requests_per_minute integer, seconds_left double precision, is_allowed boolean
) returns jsonb language sql stable
return jsonb_build_object(
  'limit', requests_per_minute,
  'remaining', case
    when is_allowed then floor((60 - seconds_left) / 60 * requests_per_minute + 1e-6)::integer
    else 0
  end,
  'resetSeconds', ceil(seconds_left)::integer,
  'retryAfterSeconds', case
    when not is_allowed then greatest(
      ceil(seconds_left + 60.0::double precision / requests_per_minute - 60),
      1
    )::integer
  end
);
