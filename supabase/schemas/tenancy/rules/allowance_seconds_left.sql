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
