-- Notes that this transaction has failed messages that may pause their batch. Pausing locks, so a step in
-- the middle of a transaction only notes them: see pause_failing_batches.
-- The note is a setting of the transaction, as in note_contact.
create or replace function messaging.note_batch_failures(message_ids uuid[])
returns void language plpgsql set search_path = '' as $$
begin
  if message_ids is not null then
    perform set_config(
      'messaging.failed_messages',
      concat(current_setting('messaging.failed_messages', true), array_to_string(message_ids, ' '), ' '),
      true
    );
  end if;
end;
$$;
