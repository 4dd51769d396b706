-- The last of a contact's messages that its answer has released (see release_waiting_messages) and that are still
-- to leave; NULL for none. One that will not leave within a minute, such as at night, holds up nobody.
create or replace function messaging.last_released_message(contact_id uuid, clock timestamptz)
returns uuid language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return (
    select m.id
    from messaging.messages m
    join messaging.message_queue q on q.message_id = any (array[m.id])
    where m.contact_id = last_released_message.contact_id
      and m.ladder is not null and m.status = 'queued'
      and m.ladder->'shown' ? 'invitationId'
      and q.scheduled_at < clock + interval '1 minute'
    order by m.created_at desc, m.id desc
    limit 1
  );
end;
$$;
