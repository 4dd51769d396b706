-- Ends the last change that a call asked for, with its `outcome` (done, refused, unknown). Done: writes the new
-- words or the deletion, where they are news.
-- The caller has locked the message.
create or replace function messaging.end_message_change(
  message messaging.messages, outcome text, error jsonb
) returns void language plpgsql set search_path = '' as $$
declare
  is_done constant boolean := outcome = 'done';
  is_edit constant boolean := message.change->>'kind' = 'edit';
  is_news constant boolean := is_done and case
    when is_edit then message.message is distinct from message.change->>'message'
    else message.deleted_at is null
  end;
begin
  update messaging.messages m
  set change = m.change
      || jsonb_build_object('status', outcome, 'error', case when not is_done then error end),
    message = case when is_news and is_edit then m.change->>'message' else m.message end,
    edited_at = case when is_news and is_edit then clock_timestamp() else m.edited_at end,
    deleted_at = case when is_news and not is_edit then clock_timestamp() else m.deleted_at end
  where m.id = message.id;
end;
$$;
