-- How far the import of an instance's earlier messages is, as admin-api tells it; NULL where none was told.
create or replace function messaging.shown_history_import(instance_id uuid)
returns jsonb language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'status', case
      when h.error is not null then 'declined'
      when h.progress >= 100 then 'complete'
      else 'running'
    end,
    'phase', h.phase,
    'progress', h.progress,
    'error', h.error,
    'updatedAt', messaging.iso_in_zone(h.told_at, 'UTC')
  )
  from messaging.history_imports h
  where h.instance_id = shown_history_import.instance_id;
$$;
