-- What a noted message counts in the sums, where no price is to be known: its sending, or its delivery by a
-- gateway. `message` is NULL where it is gone; `factor` is 1, or -1 where it was not so after all. An invitation
-- counts for the batch of the message that it was sent for.
create or replace function messaging.counted_note(
  note messaging.usage_notes,
  message messaging.messages,
  factor integer
)
returns messaging.usage_changes
language sql
stable
return row(
  null,
  note.instance_id,
  note.counted_at,
  case
    when note.is_delivery then 0
    else factor
  end,
  case
    when note.is_delivery then factor
    else 0
  end,
  0,
  0,
  0,
  null,
  messaging.sent_category(message.message_type, message.purpose, message.ladder),
  null,
  null,
  message.message_type,
  message.sent_by,
  message.agent_id,
  coalesce(message.batch_id, (message.ladder ->> 'batchId')::uuid)
)::messaging.usage_changes;
