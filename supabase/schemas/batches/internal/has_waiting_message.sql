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
