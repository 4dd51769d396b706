-- How a delivered message that awaits its price will be billed, and what it will cost: {pricing,
-- estimatedCost}, see shown_price. `pricing` as the caller knows it, an event perhaps from earlier: of a
-- message that has got its price meanwhile this is that price. What is gone, or was typed on the phone, has none.
create or replace function messaging.expected_price(message_id uuid, pricing jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
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
