-- Makes unpaced messages of instances that an operator holds or that are disconnected invisible until that ends, so that a
-- claim reads each of them once. The caller has locked the queue rows. Tries the dispatch rows without
-- waiting; their locks keep a release from overlooking what is postponed here: it waits for them before
-- it looks (see set_operator_hold).
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.postpone_held_messages(message_ids uuid[], clock timestamptz)
returns void language plpgsql set search_path = '' as $$
begin
  with held as (
    select d.instance_id, messaging.stopped_until(d) as ends_at
    from messaging.dispatch d
    where messaging.stopped_until(d) > clock and d.instance_id in (
      select q.instance_id
      from unnest(postpone_held_messages.message_ids) as late(message_id)
      join messaging.message_queue q on q.message_id = any (array[late.message_id])
    )
    order by d.instance_id
    for share skip locked
  )
  update messaging.message_queue q
  set visible_at = held.ends_at
  from held
  where q.message_id = any (postpone_held_messages.message_ids)
    and q.instance_id = any (array[held.instance_id])
    and q.claim_token is null;
end;
$$;
