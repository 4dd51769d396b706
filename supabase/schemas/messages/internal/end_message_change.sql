-- Ends the last change that a call asked for, with its `outcome` (done, refused, unknown). Done: writes the new
-- words or the deletion, where they are news.
-- The caller holds the message, whose row it gives.
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
  if is_news and is_edit then
    message.message := message.change->>'message';
    message.edited_at := clock_timestamp();
  elsif is_news then
    message.deleted_at := clock_timestamp();
  end if;
  message.change := message.change
    || jsonb_build_object('status', outcome, 'error', case when not is_done then error end);
  perform messaging.write_content(message);
end;
$$;
