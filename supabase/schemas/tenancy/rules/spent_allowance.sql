-- When an allowance that is whole at `whole_at` will be whole again once `share` of a minute is taken of it.
create or replace function messaging.spent_allowance(
  whole_at timestamptz, share interval, clock timestamptz
) returns timestamptz language sql stable
return greatest(whole_at, clock) + share;
