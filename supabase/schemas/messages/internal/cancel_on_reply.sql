-- Cancels what waits with cancelOn: reply for contacts that have just written, in the transaction that records
-- the reply. Where nothing is left that a later reply may find, the contacts cost nothing again: see
-- contacts.cancels_on_reply. What has failed may be sent once more.
-- The caller holds the contacts, for no key update. Locks the messages in the order of their ids, then as
-- cancel_follow_ups.
create or replace function messaging.cancel_on_reply(contact_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  all_ids constant uuid[] := array(
    select id.value
    from unnest(contact_ids) as c(id)
    cross join lateral unnest(messaging.merged_contact_ids(c.id)) as id(value)
  );
  -- By messages_history: what has not left has no sent_at.
  waiting constant uuid[] := array(
    select m.id
    from messaging.messages m
    where m.contact_id = any (all_ids)
      and m.sent_at is null and m.status = 'queued' and m.cancel_on ? 'reply'
    order by m.id
    for no key update
  );
begin
  if waiting <> '{}' then
    perform messaging.cancel_follow_ups(waiting, 'replied');
  end if;
  update messaging.contacts c
  set cancels_on_reply = false
  where c.id = any (contact_ids) and not exists (
    select from messaging.messages m
    where m.contact_id = any (messaging.merged_contact_ids(c.id))
      and m.sent_at is null and m.status not in ('canceled', 'expired') and m.cancel_on ? 'reply'
  );
end;
$$;
