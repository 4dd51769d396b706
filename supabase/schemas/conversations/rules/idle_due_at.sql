-- When the next entry of an instance's `idle` is due for a silence since an instant: the first one later than
-- `after`; NULL where none is.
create or replace function messaging.idle_due_at(
  idle jsonb, awaiting text, since timestamptz, after timestamptz
) returns timestamptz language sql stable
return (
  select min(since + make_interval(mins => (entry.value ->> 'afterMinutes')::integer))
  from jsonb_array_elements(idle) as entry
  where
    entry.value ->> 'awaiting' = awaiting
    and since + make_interval(mins => (entry.value ->> 'afterMinutes')::integer) > after
);
