-- Records how far the import of an instance's earlier messages is. `event`: phase, progress (percent), error
-- {code, message} (the business shares none: 2593109). Chunks come in any order, and again: the furthest counts.
-- Returns whether it was news.
create or replace function messaging.record_history_progress(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
begin
  insert into messaging.history_imports as h (instance_id, phase, progress, error)
  values (
    record_history_progress.instance_id, (event->>'phase')::smallint,
    case when event->>'progress' is not null then least((event->>'progress')::integer, 100) end,
    nullif(event->'error', 'null')
  )
  on conflict on constraint history_imports_pkey do update
  set phase = greatest(h.phase, excluded.phase),
    progress = greatest(h.progress, excluded.progress),
    -- A business that declines may share later.
    error = excluded.error,
    told_at = clock_timestamp()
  where (greatest(h.phase, excluded.phase), greatest(h.progress, excluded.progress), excluded.error)
    is distinct from (h.phase, h.progress, h.error);
  return found;
end;
$$;
