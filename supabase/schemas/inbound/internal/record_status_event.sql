-- Applies a delivery event to its message, found by our own id where the provider returns it, else by
-- the provider's id. An event without a known message may concern one of ours whose answer was lost:
-- where the event repeats the words (`sent`) they are matched as an echo. Otherwise it is stored in
-- unmatched_statuses until the message's id is known.
-- Returns whether it changed anything.
create or replace function messaging.record_status_event(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  message_id uuid;
  contact messaging.contacts;
  address text;
  told_at constant timestamptz := coalesce((event->>'at')::timestamptz, clock_timestamp());
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
    -- A duplicate stored from an echo may have the same id until it is merged.
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
  -- Gateways report the delivery of the contact's own messages too: ignored.
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
      instance_id, provider_message_id, status, occurred_at, error, pricing
    )
    values (
      record_status_event.instance_id, event->>'providerMessageId', event->>'status',
      told_at, nullif(event->'error', 'null'), event->'pricing'
    )
    on conflict do nothing;
    return false;
  end if;
  if event->'member' is not null then
    update messaging.messages m
    set group_receipts = messaging.add_group_receipt(m.group_receipts, event->'member', told_at)
    where m.id = message_id;
  end if;
  return messaging.advance_message(
    message_id, event->>'providerMessageId', event->>'status', told_at,
    nullif(event->'error', 'null'), event->'pricing'
  ) or event->'member' is not null;
end;
$$;

-- What the members of a group have done with a message, after one more notice of one of them. `member`:
-- phone, userId, lid (each where known), hasRead. A message keeps 32 members, as its record is read whole.
create or replace function messaging.add_group_receipt(
  receipts jsonb, member jsonb, told_at timestamptz
) returns jsonb language plpgsql stable set search_path = '' as $$
declare
  known constant jsonb := coalesce(receipts, '[]');
  person constant jsonb := jsonb_strip_nulls(member - array['hasRead', 'name']);
  at_told constant text := messaging.iso_in_zone(told_at, 'UTC');
  former record;
begin
  select (e.place - 1)::text as place, e.value as receipt into former
  from jsonb_array_elements(known) with ordinality as e(value, place)
  where e.value->>'phone' = person->>'phone' or e.value->>'userId' = person->>'userId'
    or e.value->>'lid' = person->>'lid'
  limit 1;
  if found then
    return jsonb_set(known, array[former.place], former.receipt || person || jsonb_build_object(
      'deliveredAt', least(former.receipt->>'deliveredAt', at_told),
      'readAt', coalesce(
        former.receipt->>'readAt', case when (member->>'hasRead')::boolean then at_told end
      )
    ));
  elsif jsonb_array_length(known) >= 32 then
    return known;
  end if;
  return known || jsonb_build_array(person || jsonb_build_object(
    'deliveredAt', at_told, 'readAt', case when (member->>'hasRead')::boolean then at_told end
  ));
end;
$$;
