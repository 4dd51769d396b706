-- Lets what an instance holds for a reason (budget, new_contacts) leave: see release_messages. The caller holds
-- pacing, and refreshes dispatch.
create or replace function messaging.release_held_messages(
  instance_id uuid, reason text, clock timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  perform messaging.release_messages(
    array(
      select q.message_id
      from messaging.message_queue q
      join messaging.messages m on m.id = any (array[q.message_id])
      where q.instance_id = release_held_messages.instance_id and m.held_by = reason
    ),
    reason, clock
  );
end;
$$;
