-- Notes that messages to contacts wait with cancelOn: reply (`cancels`, see contacts.cancels_on_reply), or ask a
-- question (`answers`, see contacts.awaits_answer), in the transaction that stores them. Writes also what
-- is noted already: a reply that is being recorded takes away the note that it has read, unless the row is another
-- one by then.
-- Locks the contacts. Call it before pacing is locked: who records a reply holds the contact, then locks pacing.
create or replace function messaging.expect_reply(
  contact_ids uuid[], cancels boolean, answers boolean
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  perform from messaging.contacts c
  where c.id = any (contact_ids)
  order by c.id
  for no key update;
  update messaging.contacts c
  set cancels_on_reply = c.cancels_on_reply or cancels, awaits_answer = c.awaits_answer or answers
  where c.id = any (contact_ids);
end;
$$;
