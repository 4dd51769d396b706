-- Applies delivery events of messages that the provider has accepted, and stores their payloads, as
-- record_status_event does: one statement for all of them. One that is late or repeated may still tell how
-- the message is billed, which is no event. `changed` and `unchanged` are the places of
-- the recorded events. Leaves the others untouched: those of messages that are unknown, have not been
-- accepted or have failed, of messages that another transaction holds, of messages that are queued
-- once more, and those that correct how a message is billed that has its price (see take_back_usage).
-- The caller holds lock_plain_events.
create or replace function messaging.record_plain_statuses(
  events messaging.plain_event[], out changed integer[], out unchanged integer[]
) language plpgsql set search_path = '' as $$
begin
  with known as (
    select distinct on (message.id) e.place, e.instance_id, e.payload, e.status, e.occurred_at,
      message.id as message_id,
      case messaging.message_transition(message.status, e.status)
        when 'always' then true else false
      end as is_forward,
      e.pricing, instance.is_official, e.status <> 'sent' and message.delivered_at is null as is_first,
      e.pricing is not null and message.pricing->>'source' is distinct from 'channel' as tells_pricing
    from unnest(events) as e
    cross join lateral (
      select i.provider_class = 'official' as is_official from messaging.instances i
      where i.id = e.instance_id and (i.sealed_provider_config <> e.sealed_provider_config) is not true
      limit 1
    ) as instance
    cross join lateral (
      select m.id, m.status, m.pricing, m.delivered_at
      from messaging.messages m
      where m.id = coalesce(
        (
          select own.id from messaging.messages own
          where own.id = e.message_id and own.instance_id = e.instance_id
            and own.direction = 'outbound'
        ),
        (
          select own.id from messaging.messages own
          where own.instance_id = e.instance_id and own.direction = 'outbound'
            and own.provider_message_id = e.provider_message_id
          -- A duplicate stored from an echo may have the same id until it is merged.
          order by own.is_typed_on_phone, own.created_at desc
          limit 1
        )
      )
        and m.status in ('sent', 'delivered', 'read') and m.provider_message_id is not null
      for no key update of m skip locked
    ) as message
    where (
      select true from messaging.message_queue q where q.message_id = message.id limit 1
    ) is null
      and (
        e.pricing is null or message.pricing ? 'market' is not true
        or message.pricing->>'source' = 'channel'
      )
    order by message.id, e.place
  ),
  payloads as (
    insert into messaging.provider_events (instance_id, payload)
    select k.instance_id, k.payload from known k where k.payload is not null order by k.place
  ),
  messages as (
    update messaging.messages m
    set status = case when k.is_forward then k.status else m.status end,
      delivered_at = case
        when k.is_forward then coalesce(m.delivered_at, k.occurred_at) else m.delivered_at
      end,
      read_at = case when k.is_forward and k.status = 'read' then k.occurred_at else m.read_at end,
      pricing = messaging.known_pricing(
        m.pricing, k.pricing, k.status, k.is_official,
        messaging.sent_category(m.message_type, m.purpose, m.ladder)
      ) - case when k.is_first then 'market' else '' end,
      failed_at = null,
      canceled_at = null,
      unconfirmed_at = null,
      is_retryable = false,
      last_error = null
    -- Told in the order of the events.
    from (select * from known order by place) as k
    where m.id = any (array[k.message_id]) and (k.is_forward or k.tells_pricing)
  )
  select array_agg(k.place) filter (where k.is_forward or k.tells_pricing),
    array_agg(k.place) filter (where not k.is_forward and not k.tells_pricing)
  into changed, unchanged
  from known k;
end;
$$;
