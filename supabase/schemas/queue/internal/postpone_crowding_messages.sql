-- claim_due_messages: makes the due unpaced messages of instances whose provider hangs invisible for ten
-- seconds, oldest first, so that a claim reads those of the others. A bounded number a claim.
-- Skips what another session holds. Plans: see claim_due_messages, whose settings it inherits.
create or replace function messaging.postpone_crowding_messages(
  instance_ids uuid[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
begin
  with crowding as (
    select q.message_id
    from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
      and q.instance_id = any (postpone_crowding_messages.instance_ids)
    order by q.visible_at
    limit 1000
    for no key update skip locked
  )
  update messaging.message_queue q
  set visible_at = clock + interval '10 seconds'
  from crowding
  where q.message_id = any (array[crowding.message_id]);
end;
$$;
