-- Applies a delivery event to the message it speaks of, found by our own id where the provider
-- carries it back, else by the provider's. Unknown yet, it may be of a message of ours whose answer was
-- lost, where the event repeats the words (`sent`); else it is kept for the recording of the send.
-- Returns whether it changed anything.
create or replace function messaging.record_status_event(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  message_id uuid;
  contact messaging.contacts;
  address text;
begin
  select m.id into message_id
  from messaging.messages m
  where m.id = (event->>'messageId')::uuid
    and m.instance_id = record_status_event.instance_id
    and m.direction = 'outbound';
  if message_id is null then
    select m.id into message_id
    from messaging.messages m
    where m.instance_id = record_status_event.instance_id
      and m.provider_message_id = event->>'providerMessageId'
      and m.direction = 'outbound'
    -- An echo may stand in for a message of ours until that is known by its id too.
    order by m.is_typed_on_phone, m.created_at desc
    limit 1;
  end if;
  if message_id is null and event->'sent' is not null then
    foreach address in array array[event->'sent'->>'address'] || array(
      select jsonb_array_elements_text(event->'sent'->'otherAddresses')
    ) loop
      contact := messaging.find_contact(instance_id, address);
      exit when contact.id is not null;
    end loop;
    if contact.id is not null
      and messaging.match_echo(instance_id, contact.id, event || (event->'sent')) then
      return true;
    end if;
  end if;
  -- What became of a message of the contact is no news: gateways tell of those too.
  if message_id is null and exists (
    select from messaging.messages m
    where m.instance_id = record_status_event.instance_id
      and m.provider_message_id = event->>'providerMessageId'
      and m.direction = 'inbound'
  ) then
    return false;
  end if;
  if message_id is null then
    insert into messaging.unmatched_statuses (
      instance_id, provider_message_id, status, occurred_at, error
    )
    values (
      record_status_event.instance_id, event->>'providerMessageId', event->>'status',
      coalesce((event->>'at')::timestamptz, clock_timestamp()), nullif(event->'error', 'null')
    )
    on conflict do nothing;
    return false;
  end if;
  return messaging.advance_message(
    message_id, event->>'providerMessageId', event->>'status',
    coalesce((event->>'at')::timestamptz, clock_timestamp()), nullif(event->'error', 'null')
  );
end;
$$;
revoke all on function messaging.record_status_event(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.record_status_event(uuid, jsonb) to service_role;
