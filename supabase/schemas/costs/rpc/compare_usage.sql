-- admin-api: a month's sums of an instance beside what its provider bills. `request`: instanceId, month
-- (YYYY-MM, of the instance's time zone), currency (that of the provider's amounts; NULL where it does not
-- tell), points [{category, type, volume, cost}], the provider's.
-- Returns {currency, providerCurrency, categories and types [{key, delivered, providerVolume, estimatedCost,
-- unknown, providerCost}], total (the same without a key), difference {volumePercent, costPercent}}: the
-- differences of all categories together, of what the provider counts. costPercent is NULL where amounts
-- cannot be compared: without rates, or in two currencies. Error: MI014.
create or replace function public.compare_usage(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  own_currency constant text := (
    select t.currency from messaging.rate_tables t where t.workspace_id = instance.workspace_id
  );
  their_currency constant text := request->>'currency';
  categories constant jsonb := messaging.compared_sums(request, 'category');
begin
  return (
    select jsonb_build_object(
      'currency', own_currency,
      'providerCurrency', their_currency,
      'categories', categories,
      'types', messaging.compared_sums(request, 'type'),
      'total', jsonb_build_object(
        'delivered', coalesce(sum(c.delivered), 0),
        'providerVolume', coalesce(sum(c."providerVolume"), 0),
        'estimatedCost', trim_scale(coalesce(sum(c."estimatedCost"), 0))::text,
        'unknown', coalesce(sum(c.unknown), 0),
        'providerCost', trim_scale(coalesce(sum(c."providerCost"), 0))::text
      ),
      'difference', jsonb_build_object(
        'volumePercent', messaging.difference_percent(
          sum(abs(c.delivered - c."providerVolume")), sum(c."providerVolume")
        ),
        'costPercent', case
          when own_currency = coalesce(their_currency, own_currency) then messaging.difference_percent(
            sum(abs(c."estimatedCost" - c."providerCost")), sum(c."providerCost")
          )
        end
      )
    )
    from jsonb_to_recordset(categories) as c(
      delivered numeric, "providerVolume" numeric, "estimatedCost" numeric, unknown numeric,
      "providerCost" numeric
    )
  );
end;
$$;

-- compare_usage: the sums of a month by `group_by` (category or type), each beside the provider's of the same
-- word, in any case of letters: a list, sorted by key, the messages without one first.
create or replace function messaging.compared_sums(request jsonb, group_by text)
returns jsonb language sql set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'key', nullif(key, ''),
    'delivered', coalesce(own.delivered, 0),
    'providerVolume', coalesce(theirs.volume, 0),
    'estimatedCost', trim_scale(coalesce(own.cost, 0))::text,
    'unknown', coalesce(own.unknown, 0),
    'providerCost', trim_scale(coalesce(theirs.cost, 0))::text
  ) order by key), '[]')
  from (
    select lower(coalesce(u.key, '')) as key, sum(u.delivered) as delivered,
      sum(u."estimatedCost") as cost, sum(u.unknown) as unknown
    from jsonb_to_recordset(
      public.get_usage(jsonb_build_object(
        'instanceId', request->'instanceId',
        'from', request->>'month' || '-01',
        'to', ((request->>'month' || '-01')::date + interval '1 month -1 day')::date,
        'groupBy', group_by,
        'limit', 1000
      ))->'items'
    ) as u(key text, delivered bigint, "estimatedCost" numeric, unknown bigint)
    where u.delivered > 0
    group by 1
  ) as own
  full join (
    select lower(coalesce(case group_by when 'type' then p.type else p.category end, '')) as key,
      sum(p.volume) as volume, sum(p.cost) as cost
    from jsonb_to_recordset(request->'points') as p(
      category text, type text, volume bigint, cost numeric
    )
    group by 1
  ) as theirs using (key);
$$;

-- How many percent a difference is of what it differs from, to a hundredth: 100 where that is nothing.
create or replace function messaging.difference_percent(difference numeric, whole numeric)
returns numeric language sql immutable
return case
  when coalesce(difference, 0) = 0 then 0
  when whole = 0 then 100
  else round(100 * difference / whole, 2)
end;
