-- Takes back messages whose claims ended although their workers had not called the provider: another
-- process has made them `unconfirmed`, but nothing was sent. A queued or scheduled message waits again.
-- An immediate send fails, and may be retried; so does a message whose send window never opens now.
-- Only while the message is in doubt by that very claim: since then a delivery event, a person or
-- another attempt may have decided otherwise.
-- `results`: as settle_messages takes them. Returns the ids of those that were taken back.
-- Locks the messages, then pacing (see requeue_message).
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.take_back_unsent(results jsonb)
returns uuid[] language plpgsql set search_path = '' as $$
declare
  unsent record;
  message messaging.messages;
  taken_back uuid[] := '{}';
begin
  for unsent in
    select m as message, r.error
    from jsonb_to_recordset(results) as r(
      "messageId" uuid, "claimToken" uuid, error jsonb, "isUnsent" boolean
    )
    join messaging.messages m on m.id = any (array[r."messageId"])
    where r."isUnsent" and m.status = 'unconfirmed' and m.lost_claim_token = r."claimToken"
    order by m.instance_id, m.id
    for no key update of m
  loop
    message := unsent.message;
    message.is_retryable := true;
    message.last_error := unsent.error;
    message.lost_claim_token := null;
    -- The end of the claim was counted as an attempt.
    message.attempts := greatest(message.attempts - 1, 0);
    begin
      if message.mode in ('queued', 'scheduled') then
        perform messaging.requeue_message(message);
      else
        perform messaging.fail_message(message);
      end if;
    exception when sqlstate 'MI010' then
      perform messaging.fail_message(message);
    end;
    taken_back := taken_back || message.id;
  end loop;
  return taken_back;
end;
$$;
