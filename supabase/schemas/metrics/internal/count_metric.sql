-- Adds to a counter that has no labels. Locks its row until commit, so call it last, and never for a
-- send: simultaneous calls wait for each other.
create or replace function messaging.count_metric(counter text, amount bigint)
returns void language sql set search_path = '' as $$
  insert into messaging.metric_counters as c (name, counted, reported)
  values (counter, amount, amount)
  on conflict (name, labels) do update
  set counted = c.counted + excluded.counted,
    reported = c.reported + excluded.counted,
    changed_at = clock_timestamp();
$$;
