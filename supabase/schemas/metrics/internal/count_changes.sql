-- Brings the counters up to `clock`, so that each total only grows.
-- A row is counted for good when it was settled over 30 seconds ago: a transaction that settles takes
-- 8 seconds at most, so none can still add an older one. What came since is counted anew each time and
-- only reported; `reported` is kept where a row has changed its state meanwhile.
-- Looks back one hour at most, to bound its cost: where nobody asks for longer, nothing of the time
-- before is counted. Returns until when all is counted.
create or replace function messaging.count_changes(counted_until timestamptz, clock timestamptz)
returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  since constant timestamptz := greatest(counted_until, clock - interval '1 hour');
  until constant timestamptz := greatest(since, clock - interval '30 seconds');
begin
  insert into messaging.metric_counters as c (name, labels, counted, reported)
  select s.name, s.labels, coalesce(sum(s.amount) filter (where s.is_final), 0), sum(s.amount)
  from (
    select f.name, f.labels, f.amount, true as is_final
    from messaging.count_settled(since, until) f
    union all
    select r.name, r.labels, r.amount, false
    from messaging.count_settled(until, clock) r
  ) as s
  group by s.name, s.labels
  on conflict (name, labels) do update
  set counted = c.counted + excluded.counted,
    reported = greatest(c.reported, c.counted + excluded.reported),
    changed_at = clock;
  return until;
end;
$$;
