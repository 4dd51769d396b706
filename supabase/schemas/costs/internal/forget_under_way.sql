-- A message that had been sent has failed: it will cost nothing. Its instance's budget may not be reached any more,
-- so the next fold_usage looks at it, by a change that counts nothing.
create or replace function messaging.forget_under_way(message messaging.messages)
returns void language plpgsql set search_path = '' as $$
begin
  delete from messaging.budget_under_way b where b.message_id = message.id;
  if found then
    insert into messaging.usage_changes (instance_id, counted_at) values (message.instance_id, message.sent_at);
  end if;
end;
$$;
