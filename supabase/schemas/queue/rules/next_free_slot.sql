-- The slot behind the last one: not before `not_before` and now, and one interval after the last message
-- has left. NULL stands for no such bound.
create or replace function messaging.next_free_slot(
  last_left_at timestamptz, spacing interval, not_before timestamptz, clock timestamptz
) returns timestamptz language sql stable
return greatest(not_before, clock, last_left_at + spacing);
