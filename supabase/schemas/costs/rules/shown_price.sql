-- How a message is billed and what it cost, as records show it: {pricing, estimatedCost}. What awaits its
-- price is shown as it will be: see expected_price.
create or replace function messaging.shown_price(
  message_id uuid, delivered_at timestamptz, pricing jsonb, estimated_cost numeric,
  cost_currency text
) returns jsonb language sql stable
return case
  when messaging.awaits_price(delivered_at, pricing) then messaging.expected_price(
    message_id,
    pricing
  )
  else jsonb_build_object(
    'pricing', '{"market": null}'::jsonb || pricing,
    'estimatedCost', case
      when cost_currency is not null then messaging.describe_cost(estimated_cost, cost_currency)
    end
  )
end;

-- How a delivered message that awaits its price will be billed, and what it will cost: {pricing,
-- estimatedCost}, see shown_price. `pricing` as the caller knows it, an event perhaps from earlier: of a
-- message that has got its price meanwhile this is that price. What is gone, or was typed on the phone, has none.
create or replace function messaging.expected_price(message_id uuid, pricing jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  message messaging.messages;
  price record;
  is_free boolean;
begin
  select m.* into message from messaging.messages m where m.id = expected_price.message_id;
  if messaging.awaits_price(message.delivered_at, message.pricing) and not message.is_typed_on_phone then
    select p.* into strict price from messaging.delivery_prices(array[message.id]) as p;
    is_free := price.is_service and messaging.expects_free_service(message, price.month, price.allowance);
    message.pricing := message.pricing || jsonb_build_object('market', price.market);
    message.estimated_cost := case when is_free and price.currency is not null then 0 else price.rate end;
    message.cost_currency := price.currency;
  end if;
  return jsonb_build_object(
    'pricing', pricing || jsonb_build_object('market', message.pricing->'market'),
    'estimatedCost', case
      when message.estimated_cost is not null
        then messaging.describe_cost(message.estimated_cost, message.cost_currency)
    end
  );
end;
$$;

-- Whether a service message that awaits its price will be one of the month's free ones: see
-- count_free_services. Looks at the order of the deliveries only where the month's allowance may not suffice.
create or replace function messaging.expects_free_service(
  message messaging.messages, month date, allowance integer
) returns boolean language plpgsql stable set search_path = '' as $$
declare
  waiting uuid[];
  used integer;
  later integer;
begin
  waiting := array(
    select distinct n.message_id from messaging.usage_notes n
    where n.instance_id = message.instance_id and n.is_delivery
  );
  select coalesce(max(s.used), 0) into used
  from messaging.free_service_months s
  where s.instance_id = message.instance_id and s.month = expects_free_service.month;
  if used + cardinality(waiting) <= allowance then
    return true;
  end if;
  select count(*) into later
  from messaging.free_service_messages f
  where f.instance_id = message.instance_id and f.month = expects_free_service.month
    and (f.delivered_at, f.message_id) > (message.delivered_at, message.id);
  return used - later + (
    select count(*)
    from messaging.messages m
    where m.id = any (waiting) and m.id <> message.id
      and messaging.awaits_price(m.delivered_at, m.pricing)
      and messaging.is_service_delivery(m.delivered_at, m.pricing)
      and m.delivered_at >= expects_free_service.month::timestamp at time zone 'UTC'
      and (m.delivered_at, m.id) < (message.delivered_at, message.id)
  ) < allowance;
end;
$$;
