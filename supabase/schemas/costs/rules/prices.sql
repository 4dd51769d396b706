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

-- An amount as answers show it: a decimal text, with its currency.
create or replace function messaging.describe_cost(amount numeric, currency text)
returns jsonb language sql stable
return jsonb_build_object('amount', trim_scale(amount)::text, 'currency', currency);

-- How many of the messages of a sum have no cost in `own_currency`: those without a rate, and those that
-- were estimated in another currency, as currencies are never added up. `currency`: of the sum's amount,
-- empty for none.
create or replace function messaging.unknown_cost(
  unknown bigint, delivered bigint, currency text, own_currency text
) returns bigint language sql immutable
return case
  when currency in ('', own_currency) then unknown
  else unknown + delivered
end;

-- What a message of this category costs in a market on a day in UTC, in the currency of the workspace's
-- rates. No row where no rate holds then. `category`: in lower case.
create or replace function messaging.rate_on(
  workspace_id uuid, market text, category text, day date
) returns table (amount numeric) language sql stable
begin atomic
  select r.amount
  from messaging.rates as r
  where
    r.workspace_id = rate_on.workspace_id
    and r.market = rate_on.market
    and r.category = rate_on.category
    and r.effective_from <= rate_on.day
  order by r.effective_from desc
  limit 1;
end;

-- The market of a workspace's rates that a phone belongs to: that of the longest calling code. No row for a
-- phone that no market has, and for none.
create or replace function messaging.market_of_phone(workspace_id uuid, phone text)
returns table (market text) language sql stable
begin atomic
  select k.market
  from messaging.rate_markets as k
  where
    k.workspace_id = market_of_phone.workspace_id
    and k.calling_code = any (
      array(
        select left(market_of_phone.phone, d.digits)
        from generate_series(0, 7) as d (digits)
      )
    )
  order by length(k.calling_code) desc
  limit 1;
end;

-- Whether a message counts off the month's free service messages: it was delivered, is billed as service,
-- and nothing else makes it free.
create or replace function messaging.is_service_delivery(delivered_at timestamptz, pricing jsonb)
returns boolean language sql immutable
return coalesce(
  delivered_at is not null
  and lower(pricing ->> 'category') = 'service'
  and not messaging.free_by_channel(pricing),
  false
);

-- Whether the official channel itself bills nothing for a message, by its `pricing`: an answer within the
-- window, or the free entry point. False where the pricing is not known.
create or replace function messaging.free_by_channel(pricing jsonb)
returns boolean language sql immutable
return coalesce(pricing ->> 'type' in ('free_customer_service', 'free_entry_point'), false);

-- Whether a message at the official channel was delivered and has no price yet: its pricing names the market
-- from then on, NULL where no rate does. See count_notes.
create or replace function messaging.awaits_price(delivered_at timestamptz, pricing jsonb)
returns boolean language sql immutable
return coalesce(delivered_at is not null and not pricing ? 'market', false);
