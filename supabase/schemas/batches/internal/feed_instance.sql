-- Gives the running batches of an instance their next message, where none of theirs waits in its queue, and
-- ends those that have nothing left. So an instance has at most one message of its batches waiting: a single
-- send waits for no more than one interval for their sake.
-- Whom the batches pass over until then is skipped, with its reason. Who has no slot in time stays pending:
-- it reads as expired when the batch's time is over.
-- A batch that begins later is given its first message one interval before, so that its slot holds up
-- nothing until then.
-- The caller holds the pacing row. Locks the batches, and tries the recipient's contact and message without
-- waiting: who merges, erases or cancels them may wait for the pacing row. The dispatcher's maintenance
-- comes back then.
-- Errors: MI010.
create or replace function messaging.feed_instance(of_instance uuid)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  instance constant messaging.instances := messaging.find_instance(of_instance);
  batch messaging.batches;
  step messaging.batch_step;
  placed_id uuid;
begin
  perform from messaging.batches b
  where b.instance_id = of_instance and b.status = 'running'
  order by b.id
  for no key update;
  if exists (
    select from messaging.batches b
    join messaging.message_queue q on q.message_id = b.waiting_message
    where b.instance_id = of_instance and b.status = 'running' and q.claim_token is null
      and q.attempts = 0
  ) then
    perform messaging.finish_batches(of_instance);
    return;
  end if;
  for step in
    select w.* from messaging.walk_batches(instance, clock, null, null, null, null, true) as w
  loop
    continue when step.reason = 'expires_before_slot';
    if exists (select from messaging.messages m where m.id = step.message_id) then
      perform from messaging.messages m where m.id = step.message_id for no key update skip locked;
      continue when not found;
    end if;
    select b.* into batch from messaging.batches b where b.id = step.batch_id;
    if step.reason = 'settled' then
      update messaging.batch_recipients r set status = 'accepted'
      where r.batch_id = batch.id and r.index = step.index;
      update messaging.batches b set pending_count = b.pending_count - 1 where b.id = batch.id;
    elsif step.reason is not null then
      perform messaging.skip_recipients(
        jsonb_build_array(jsonb_build_object('batch', batch.id, 'index', step.index)), step.reason
      );
    elsif batch.start_at <= clock + make_interval(secs => batch.interval_seconds)
      or batch.start_at is null then
      perform from messaging.contacts c where c.id = step.contact_id for key share skip locked;
      if found then
        placed_id := messaging.place_batch_message(instance, batch, step.index);
        update messaging.batches b
        set pending_count = b.pending_count - 1, waiting_message = placed_id, served_at = clock
        where b.id = batch.id;
      end if;
    end if;
  end loop;
  update messaging.batches b
  set first_pending = coalesce(
    (
      select r.index from messaging.batch_recipients r
      where r.batch_id = b.id and r.status = 'pending' and r.index >= b.first_pending
      order by r.index
      limit 1
    ),
    b.recipient_count
  )
  where b.instance_id = of_instance and b.status = 'running';
  perform messaging.finish_batches(of_instance);
  perform messaging.note_feeding(of_instance);
end;
$$;
revoke all on function messaging.feed_instance(uuid) from public, anon, authenticated;
grant execute on function messaging.feed_instance(uuid) to service_role;
