-- claim_due_messages: ends messages that were due after their expires_at: they become `expired` instead
-- of being claimed. The caller holds their queue rows. What another session holds is left for later:
-- nothing waits here. The caller sees to it that the instance gets its next due time.
create or replace function messaging.expire_due_messages(message_ids uuid[], clock timestamptz)
returns void language plpgsql set search_path = '' as $$
declare
  late uuid[];
  gone messaging.message_queue[];
begin
  select array_agg(l.id) into late
  from (
    select m.id
    from messaging.messages m
    join messaging.pacing p on p.instance_id = any (array[m.instance_id])
    where m.id = any (message_ids) and m.status = 'queued' and m.expires_at <= clock
    order by m.instance_id, m.id
    for no key update of m, p skip locked
  ) as l;
  if late is null then
    return;
  end if;
  with taken as (
    delete from messaging.message_queue q where q.message_id = any (late)
    returning q
  )
  select array_agg(taken.q) into gone from taken;
  perform messaging.end_messages(late, 'expired');
  perform messaging.release_slots(gone);
end;
$$;
