-- Records instance.held for instances that the caller has just held, or holds for longer, with the end
-- of all that holds them: NULL where they are held until they are released. `reasons`: why, in the order
-- of the instances.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_instance_holds(instance_ids uuid[], reasons text[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  perform messaging.hold_event_floors(instance_ids);
  insert into messaging.events (instance_id, type, data)
  select d.instance_id, 'instance.held',
    jsonb_build_object(
      'heldUntil', messaging.iso_in_zone(
        case when isfinite(hold.ends_at) then hold.ends_at end, i.time_zone
      ),
      'reason', h.reason
    )
  from unnest(instance_ids, reasons) as h(instance_id, reason)
  join messaging.dispatch d on d.instance_id = any (array[h.instance_id])
  join messaging.instances i on i.id = any (array[h.instance_id])
  cross join lateral (
    select greatest(d.hold_until, d.operator_hold_until) as ends_at
  ) as hold;
end;
$$;
