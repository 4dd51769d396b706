-- The queued messages of an instance that are in no queue: those that a pause of their batch took out of it, and
-- those that wait for their contact's answer. Of the former those of its `most` newest batches. The latter all have
-- an end, by whose index they are found: among the `most` messages that end first of all that wait, other instances'
-- too.
create or replace function messaging.queued_elsewhere(of_instance uuid, most integer)
returns setof messaging.messages language plpgsql stable set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  return query
  select m.*
  from (
    select b.id, b.status from messaging.batches b
    where b.instance_id = of_instance
    order by b.created_at desc, b.id desc
    limit most
  ) as b
  join messaging.messages m on m.batch_id = any (array[b.id]) and m.status = 'queued'
  where b.status = 'paused' and m.held_by is distinct from 'awaiting_reply'
    and not exists (select from messaging.message_queue q where q.message_id = m.id)
  union all
  select w.*
  from (
    select m.* from messaging.messages m
    where m.expires_at is not null and m.status = 'queued'
    order by m.expires_at
    limit most
  ) as w
  where w.instance_id = of_instance and w.held_by = 'awaiting_reply';
end;
$$;
