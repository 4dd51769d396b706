-- How many messages the running batches of an instance may be given now. One, where none of theirs waits in the
-- queue for its slot: a single send waits for no more than one interval for their sake. One that waits for
-- another day because its contact is new holds up nobody. Where all of them follow the pace of the instance,
-- as many as leave in a second may wait, and they are given by halves: two transactions a second, not more.
create or replace function messaging.batch_room(of_instance uuid)
returns integer language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  pace integer;
  waiting integer;
begin
  select case
    when not exists (
      select from messaging.batches b
      where b.instance_id = of_instance and b.status = 'running' and not b.follows_pace
    ) then d.messages_per_second
  end
  into pace
  from messaging.dispatch_of(of_instance) as d;
  if pace is null then
    return case when messaging.has_waiting_message(of_instance) then 0 else 1 end;
  end if;
  select count(*) into waiting
  from messaging.batches b
  join messaging.messages m on m.batch_id = any (array[b.id]) and m.status = 'queued'
  join messaging.message_queue q on q.message_id = any (array[m.id])
  where b.instance_id = of_instance and b.status = 'running' and q.claim_token is null
    and q.attempts = 0
    and (m.held_by is distinct from 'new_contacts' or q.scheduled_at <= clock + interval '1 second');
  return case when pace - waiting >= (pace + 1) / 2 then (pace + 1) / 2 else 0 end;
end;
$$;

-- Whether a message of an instance's running batches waits in its queue for its slot: no other one follows
-- until then. One that waits for another day because its contact is new holds up nobody.
create or replace function messaging.has_waiting_message(of_instance uuid)
returns boolean language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return exists (
    select from messaging.batches b
    join messaging.message_queue q on q.message_id = any (array[b.waiting_message])
    join messaging.messages m on m.id = any (array[q.message_id])
    where b.instance_id = of_instance and b.status = 'running' and q.claim_token is null
      and q.attempts = 0
      and (
        m.held_by is distinct from 'new_contacts'
        or q.scheduled_at <= clock_timestamp() + make_interval(secs => q.interval_seconds)
      )
  );
end;
$$;
