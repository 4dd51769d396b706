-- settle_may_have_left: cancels waiting messages. Locks the messages in the order of their ids, then
-- pacing, and takes out the queue rows that have no claim. No slot is released: theirs have passed.
-- Returns how many.
create or replace function messaging.cancel_restored_messages(message_ids uuid[])
returns integer language plpgsql set search_path = '' as $$
declare
  instance_ids uuid[];
  canceled uuid[];
  rows_gone messaging.message_queue[];
begin
  select array_agg(distinct l.instance_id) into instance_ids
  from (
    select m.instance_id from messaging.messages m
    where m.id = any (cancel_restored_messages.message_ids)
    order by m.id
    for no key update
  ) as l;
  perform from messaging.pacing p
  where p.instance_id = any (instance_ids) order by p.instance_id for no key update;
  with gone as (
    delete from messaging.message_queue q
    where q.message_id = any (cancel_restored_messages.message_ids) and q.claim_token is null
    returning q
  )
  select array_agg((gone.q).message_id), array_agg(gone.q) into canceled, rows_gone from gone;
  perform messaging.release_day_quota(rows_gone);
  perform messaging.end_messages(canceled, 'canceled');
  perform messaging.refresh_dispatch(instance_ids);
  return coalesce(cardinality(canceled), 0);
end;
$$;
