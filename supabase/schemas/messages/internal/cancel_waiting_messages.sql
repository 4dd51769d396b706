-- Ends what waits for a contact's answer as `canceled`: the answer was a keyword that denies marketing. The
-- caller holds the contact. Locks the messages, then batches.
create or replace function messaging.cancel_waiting_messages(contact_id uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  waiting constant uuid[] := array(
    select m.id from messaging.messages m
    where m.contact_id = any (messaging.merged_contact_ids(cancel_waiting_messages.contact_id))
      and m.ladder is not null and m.status = 'queued' and m.held_by = 'awaiting_reply'
    order by m.id
    for no key update
  );
begin
  if waiting <> '{}' then
    perform messaging.end_unqueued_messages(waiting, 'canceled');
  end if;
end;
$$;
