-- The message of an instance that a path names (see find_message_id), locked. `request`: instanceId, messageId.
-- A received one too: its status (received) says what cannot be done with it.
-- Error: MI004.
create or replace function messaging.find_message(request jsonb)
returns messaging.messages language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
begin
  select m.* into message
  from messaging.messages m
  where m.id = messaging.find_message_id(request)
  for no key update;
  if not found then
    raise exception using errcode = 'MI004', message = 'message_not_found';
  end if;
  return messaging.message_after_merge(message);
end;
$$;

-- The id of the message that a path names: by our id, else by the provider's. `request`: instanceId,
-- messageId as the path has it. NULL where the instance has none, or several under that id of the provider.
create or replace function messaging.find_message_id(request jsonb)
returns uuid language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  named constant text := request->>'messageId';
  of_instance constant uuid := request->>'instanceId';
  found_id uuid;
begin
  if named ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    select m.id into found_id
    from messaging.messages m
    where m.id = named::uuid and m.instance_id = of_instance;
  end if;
  if found_id is null then
    select min(m.id::text)::uuid into found_id
    from messaging.messages m
    where m.instance_id = of_instance and m.provider_message_id = named
    having count(*) = 1;
  end if;
  return found_id;
end;
$$;
