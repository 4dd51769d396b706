-- The message to a new contact that waits for one of a day's places for new contacts, the last of them;
-- none where none waits. A further message to the contact takes no such place, and leaves after it.
create or replace function messaging.first_to_new_contact(contact_id uuid)
returns table (scheduled_at timestamptz, held_by text) language sql stable
begin atomic
  select q.scheduled_at, m.held_by
  from
    messaging.messages as m
    inner join messaging.message_queue as q on q.message_id = any (array[m.id])
  where
    m.contact_id = first_to_new_contact.contact_id
    and m.sent_at is null
    and m.status = 'queued'
    and q.is_new
  order by q.scheduled_at desc
  limit 1;
end;
