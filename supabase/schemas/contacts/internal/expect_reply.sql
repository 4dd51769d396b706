-- Notes that messages to contacts wait with cancelOn: reply (see contacts.cancels_on_reply), in the transaction that
-- stores them. Always writes: a reply that is being recorded clears the note for what it has found.
-- Locks the contacts. The caller holds none of what cancel_on_reply locks after them.
create or replace function messaging.expect_reply(contact_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  perform from messaging.contacts c
  where c.id = any (contact_ids)
  order by c.id
  for no key update;
  update messaging.contacts c set cancels_on_reply = true where c.id = any (contact_ids);
end;
$$;
