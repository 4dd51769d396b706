-- The interval of a batch's messages; NULL where it has none of its own, so that they follow the pace of the
-- instance.
create or replace function messaging.own_interval(batch messaging.batches)
returns integer language sql immutable
return case
  when not batch.follows_pace then batch.interval_seconds
end;
