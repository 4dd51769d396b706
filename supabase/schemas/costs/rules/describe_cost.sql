-- An amount as answers show it: a decimal text, with its currency.
create or replace function messaging.describe_cost(amount numeric, currency text)
returns jsonb language sql stable
return jsonb_build_object('amount', trim_scale(amount)::text, 'currency', currency);
