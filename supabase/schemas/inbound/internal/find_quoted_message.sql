-- Our own id of the message that an event's message answers; NULL for none, or one that is not stored.
-- An echo that has not been merged yet shares its provider's id with the message that was sent.
create or replace function messaging.find_quoted_message(instance_id uuid, event jsonb)
returns uuid language plpgsql stable set search_path = '' as $$
begin
  if event->>'quotedProviderMessageId' is null then
    return null;
  end if;
  return (
    select same.id
    from (
      select m.id, m.created_at from messaging.messages m
      where m.instance_id = find_quoted_message.instance_id
        and m.provider_message_id = event->>'quotedProviderMessageId'
      -- Its plan must not follow the order: that would read the instance's messages by time.
      offset 0
    ) as same
    order by same.created_at
    limit 1
  );
end;
$$;
