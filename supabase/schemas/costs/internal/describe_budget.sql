-- An instance's budget and what is spent of it, as answers and events show it: {monthlyAmount, currency, spent,
-- underWay, reached}. monthlyAmount is NULL without a budget. See budget_state.
create or replace function messaging.describe_budget(
  instance messaging.instances, clock timestamptz
) returns jsonb language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'monthlyAmount', trim_scale(s.amount)::text,
    'currency', s.currency,
    'spent', trim_scale(s.spent)::text,
    'underWay', trim_scale(s.under_way)::text,
    'reached', s.is_reached
  )
  from messaging.budget_state(instance, clock) as s;
$$;
