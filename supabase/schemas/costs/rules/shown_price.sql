-- How a message is billed and what it cost, as records show it: {pricing, estimatedCost}. What awaits its
-- price is shown as it will be: see expected_price.
create or replace function messaging.shown_price(
  message_id uuid,
  delivered_at timestamptz,
  pricing jsonb,
  estimated_cost numeric,
  cost_currency text
)
returns jsonb
language sql
stable
return case
  when messaging.awaits_price(delivered_at, pricing) then messaging.expected_price(
    message_id,
    pricing
  )
  else jsonb_build_object(
    'pricing',
    '{"market": null}'::jsonb || pricing,
    'estimatedCost',
    case
      when cost_currency is not null then messaging.describe_cost(estimated_cost, cost_currency)
    end
  )
end;
