-- The id of the message with this provider's id; no row where none is stored.
-- Returns rows, for a function that reads a table is inlined only in FROM.
create or replace function messaging.stored_message(instance_id uuid, provider_message_id text)
returns setof uuid language sql stable
begin atomic
  select m.id
  from messaging.messages as m
  where
    m.instance_id = stored_message.instance_id
    and m.provider_message_id = stored_message.provider_message_id
  limit 1;
end;
