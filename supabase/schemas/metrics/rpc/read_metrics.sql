-- metrics: the samples for Prometheus, at most 15 seconds old. `request` is empty. Returns {samples}:
-- [name, labels, value] each, those of one metric together.
create or replace function public.read_metrics(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  snapshot constant messaging.metric_snapshots := messaging.refresh_metrics();
begin
  return jsonb_build_object(
    'samples', snapshot.samples || jsonb_build_array(
      jsonb_build_array('messaging_snapshot_age_seconds', '{}'::jsonb, round(
        greatest(extract(epoch from clock_timestamp() - snapshot.taken_at), 0), 3
      )),
      jsonb_build_array(
        'messaging_snapshot_duration_seconds', '{}'::jsonb, snapshot.refresh_seconds
      )
    )
  );
end;
$$;
