-- Whether a reply cancels the messages of a batch that still wait (cancelOn), and this contact has written since the
-- batch was started: no reaction, no call. False for every other batch, without a look.
create or replace function messaging.has_replied(batch messaging.batches, contact_id uuid)
returns boolean language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return messaging.cancels_on_reply(batch) and exists (
    select from messaging.messages m
    where m.contact_id = any (messaging.merged_contact_ids(has_replied.contact_id))
      -- By messages_history. A channel may deliver what was written a day before.
      and m.sent_at >= batch.started_at - interval '1 day'
      and m.created_at >= batch.started_at and m.direction = 'inbound'
      and messaging.is_reply(m.message_type)
  );
end;
$$;
