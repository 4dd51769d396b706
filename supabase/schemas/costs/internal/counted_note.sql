-- What a noted message counts in the sums, where no price is to be known: its sending, or its delivery by a
-- gateway. `message` is NULL where it is gone; `factor` is 1, or -1 where it was not so after all. An invitation
-- counts for the batch of the message that it was sent for.
create or replace function messaging.counted_note(
  note messaging.usage_notes, message messaging.messages, factor integer
) returns messaging.usage_changes language plpgsql stable set search_path = '' as $$
declare
  counted messaging.usage_changes;
begin
  counted.instance_id := note.instance_id;
  counted.counted_at := note.counted_at;
  counted.sent := case when note.is_delivery then 0 else factor end;
  counted.delivered := case when note.is_delivery then factor else 0 end;
  counted.free := 0;
  counted.unknown := 0;
  counted.amount := 0;
  counted.category := messaging.sent_category(message.message_type, message.purpose, message.ladder);
  counted.message_type := message.message_type;
  counted.sent_by := message.sent_by;
  counted.agent_id := message.agent_id;
  counted.batch_id := coalesce(message.batch_id, (message.ladder->>'batchId')::uuid);
  return counted;
end;
$$;
