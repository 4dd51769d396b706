-- Ends messages that have been taken out of the queue, or were in none: they become `status`, canceled or expired.
-- The caller holds them.
create or replace function messaging.end_messages(message_ids uuid[], status text)
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set status = end_messages.status,
    canceled_at = case when end_messages.status = 'canceled' then clock_timestamp() end
  where m.id = any (message_ids);
end;
$$;
