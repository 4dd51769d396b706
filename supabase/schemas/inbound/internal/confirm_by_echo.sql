-- Confirms an unconfirmed message by an echo of its words: the echo gives its provider id and the time
-- at which it was sent. Returns false where the message's state has changed meanwhile.
create or replace function messaging.confirm_by_echo(message_id uuid, echo jsonb)
returns boolean language plpgsql set search_path = '' as $$
begin
  if not messaging.advance_message(
    confirm_by_echo.message_id, echo->>'providerMessageId', 'sent', messaging.event_instant(echo), null,
    null
  ) then
    return false;
  end if;
  update messaging.messages m set confirmed_by_echo = true where m.id = confirm_by_echo.message_id;
  perform messaging.apply_unmatched_statuses(array[confirm_by_echo.message_id]);
  return true;
end;
$$;
