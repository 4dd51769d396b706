-- Records an event for each of these messages, in the order given, with the state of the message now (see
-- message_snapshot). `types`: the event of the message at the same place, or the one type of all; a
-- message may be named several times. A message that is `delivered` or `read` already is described in
-- its message.sent as it was when it was sent: see message_event_data.
-- `is_claimed`: whether the messages are still in a worker's hands.
-- Call it when the messages are changed, and so locked. None of them waits in the queue.
-- Plans must not depend on statistics: "offset 0" keeps each look-up to itself.
create or replace function messaging.record_message_events(
  message_ids uuid[],
  types text[],
  is_claimed boolean default false
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  if coalesce(cardinality(message_ids), 0) = 0 then
    return;
  end if;
  perform messaging.hold_event_floors(array(
    select m.instance_id from messaging.messages m where m.id = any (message_ids)
  ));
  insert into messaging.events (instance_id, contact_id, type, message)
  select m.instance_id, m.contact_id, told.type, row(
      m.id, m.direction,
      case when is_claimed and m.status = 'queued' then 'sending' else m.status end,
      m.message_type, m.message, case when told.type = 'message.received' then m.content end,
      m.card_id, m.metadata, m.contact_id, m.conversation_id, m.provider_message_id, m.scheduled_for,
      m.held_by, m.created_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at,
      m.attempts + is_claimed::integer, m.last_error, c.name, c.phone,
      case when told.type = 'message.received' then m.quoted_message_id end,
      case when m.content is not null or m.media_id is not null then messaging.message_media(m.media_id, m.content) end,
      m.batch_id
    )::messaging.message_snapshot
  from unnest(message_ids) with ordinality as named(message_id, place)
  cross join lateral (
    select types[case when cardinality(types) = 1 then 1 else named.place end] as type
  ) as told
  cross join lateral (
    select r.* from messaging.messages r where r.id = named.message_id offset 0
  ) as m
  cross join lateral (
    select p.name,
      -- As contact_display_phone.
      coalesce(
        (
          select case when a.changed_by is not null then a.address end
          from messaging.contact_addresses a
          where a.contact_id = p.id and a.address ~ '^[0-9]+$'
          order by a.proven_at desc
          limit 1
        ),
        p.phone
      ) as phone
    from messaging.contacts p
    where p.id = m.contact_id
    offset 0
  ) as c
  order by named.place;
end;
$$;
revoke all
on function messaging.record_message_events(uuid[], text[], boolean)
from public, anon, authenticated;
grant execute
on function messaging.record_message_events(uuid[], text[], boolean)
to service_role;
