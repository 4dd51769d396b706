-- Records instance.held for instances that the caller has just held, or holds for longer, and what there is to
-- know of that hold (see instance_holds), `held_by`: heldUntil is NULL where it has no end.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_instance_holds(instance_ids uuid[], held_by text)
returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  perform messaging.record_event(
    d.instance_id, null, 'instance.held',
    jsonb_build_object('reason', h.reason, 'heldBy', h.held_by)
      || messaging.shown_hold(h.reason, h.code, h.ends_at, i.time_zone)
  )
  from unnest(instance_ids) as held(instance_id)
  join messaging.dispatch d on d.instance_id = any (array[held.instance_id])
  join messaging.instances i on i.id = any (array[held.instance_id])
  cross join lateral messaging.instance_holds(d) as h
  where h.held_by = record_instance_holds.held_by;
end;
$$;
