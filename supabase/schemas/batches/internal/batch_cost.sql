-- What a batch has cost so far: {amount, currency, unknown}, by the sums of its messages' estimates, which
-- stay when people are erased. `unknown` counts deliveries without a rate, or estimated in another
-- currency than the workspace's rates have now. NULL for gateways, which bill no message.
create or replace function messaging.batch_cost(
  instance messaging.instances, batch messaging.batches
) returns jsonb language sql stable set search_path = '' set enable_seqscan = off as $$
  with own as (
    select max(t.currency) as currency from messaging.rate_tables t
    where t.workspace_id = instance.workspace_id
  ),
  counted as (
    select u.currency, u.amount, u.unknown, u.delivered
    from messaging.usage u
    where u.instance_id = instance.id and u.grouping = 'batch' and u.key = batch.id::text
      and u.day >= (batch.created_at at time zone 'UTC')::date - 1
    union all
    select coalesce(c.currency, ''), c.amount, c.unknown, c.delivered
    from messaging.usage_changes c
    where c.instance_id = instance.id and c.batch_id = batch.id
  )
  select messaging.describe_cost(
      coalesce(sum(c.amount) filter (where c.currency = own.currency), 0), own.currency
    )
    || jsonb_build_object('unknown', coalesce(
      sum(messaging.unknown_cost(c.unknown, c.delivered, c.currency, own.currency)), 0
    ))
  from own
  left join counted c on true
  where instance.provider_class = 'official'
  group by own.currency;
$$;
