-- Whether an allowance has `share` of a minute left: it is never whole later than in a minute.
create or replace function messaging.suffices_allowance(
  whole_at timestamptz, share interval, clock timestamptz
) returns boolean language sql stable
return whole_at + share <= clock + interval '1 minute';
