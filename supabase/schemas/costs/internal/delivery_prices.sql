-- What these delivered messages cost, by the rates of their workspace at the instant of their delivery: the
-- market of the person's phone, the category as it is billed. `rate` is NULL where none is known, also where
-- the person's phone is not; `currency` where the workspace has no rates. `allowance`: the month's free
-- service messages of the instance.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.delivery_prices(message_ids uuid[])
returns table (
  message_id uuid, instance_id uuid, delivered_at timestamptz, month date, is_service boolean,
  allowance integer, currency text, market text, rate numeric
) language sql stable set search_path = '' as $$
  select m.id, m.instance_id, m.delivered_at,
    date_trunc('month', m.delivered_at at time zone 'UTC')::date,
    messaging.is_service_delivery(m.delivered_at, m.pricing),
    i.free_service_messages_per_month, t.currency, place.market,
    case when messaging.free_by_channel(m.pricing) then 0 else rate.amount end
  from messaging.messages m
  join messaging.instances i on i.id = any (array[m.instance_id])
  left join messaging.rate_tables t on t.workspace_id = any (array[i.workspace_id])
  left join messaging.contacts c on c.id = any (array[m.contact_id])
  left join lateral messaging.market_of_phone(t.workspace_id, c.phone) as place on true
  left join lateral messaging.rate_on(
    t.workspace_id, place.market, lower(m.pricing->>'category'),
    (m.delivered_at at time zone 'UTC')::date
  ) as rate on true
  where m.id = any (message_ids) and m.delivered_at is not null and m.pricing is not null
    and not m.is_typed_on_phone;
$$;
