-- Halves the pace of instances of which the channel has refused a message for its speed, in its answer or in a later
-- status, for a minute from the last of them. `errors`: the refusal at the same place. What was claimed before leaves
-- as it was planned. Locks dispatch; the caller holds pacing, or locks nothing of the instance afterwards.
create or replace function messaging.slow_paces(
  instance_ids uuid[], errors jsonb[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
begin
  update messaging.dispatch d
  set slowed_until = clock + interval '1 minute'
  from unnest(instance_ids, errors) as refused(instance_id, error)
  where d.instance_id = any (array[refused.instance_id]) and messaging.slows_pace(d, refused.error);
end;
$$;
