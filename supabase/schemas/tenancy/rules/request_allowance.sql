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

-- In how many seconds a token's allowance is whole again. `later`: how many requests were counted
-- together with this one and after it. date_part, because extract calculates in exact numbers, which
-- costs several times as much.
create or replace function messaging.allowance_seconds_left(
  requests_per_minute integer, whole_at timestamptz, later bigint, clock timestamptz
) returns double precision language sql stable
return greatest(
  date_part('epoch', whole_at - clock) - later * 60.0::double precision / requests_per_minute,
  0
);

-- When an allowance that is whole at `whole_at` will be whole again once `share` of a minute is taken of it.
create or replace function messaging.spent_allowance(
  whole_at timestamptz, share interval, clock timestamptz
) returns timestamptz language sql stable
return greatest(whole_at, clock) + share;

-- Whether an allowance has `share` of a minute left: it is never whole later than in a minute.
create or replace function messaging.suffices_allowance(
  whole_at timestamptz, share interval, clock timestamptz
) returns boolean language sql stable
return whole_at + share <= clock + interval '1 minute';

-- Whether an allowance counts no longer, because the clock was set back since: none is whole later than in a
-- minute.
create or replace function messaging.is_allowance_void(whole_at timestamptz, clock timestamptz)
returns boolean language sql stable
return whole_at > clock + interval '1 minute';
