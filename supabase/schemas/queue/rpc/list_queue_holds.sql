-- admin-api: the instances that an operator holds, in the order of their holds, a page at a time.
-- `request`: limit, `after` as returned in `next`. Returns {items, next}. An item says how many messages
-- wait and how many were claimed before the hold and are not settled yet.
create or replace function public.list_queue_holds(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
  clock constant timestamptz := clock_timestamp();
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', d.operator_held_at, 'id', i.id,
        'record', jsonb_build_object(
          'instanceId', i.id,
          'name', i.name,
          'heldAt', messaging.iso_in_zone(d.operator_held_at, 'UTC'),
          'heldUntil', messaging.iso_in_zone(
            case when isfinite(d.operator_hold_until) then d.operator_hold_until end, 'UTC'
          ),
          'reason', d.operator_hold_reason,
          'waiting', queue.waiting,
          'inFlight', queue.in_flight
        )
      )
      from messaging.dispatch d
      join messaging.instances i on i.id = d.instance_id
      cross join lateral (
        select count(*) filter (where q.claim_token is null) as waiting,
          count(q.claim_token) as in_flight
        from messaging.queue_of_instance(i.id) as q
      ) as queue
      where d.operator_hold_until > clock
        and (d.operator_held_at, i.id) > (page.after_at, page.after_id)
      order by d.operator_held_at, i.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
