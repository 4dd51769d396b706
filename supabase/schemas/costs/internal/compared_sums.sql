-- compare_usage: the sums of a month by `group_by` (category or type), each beside the provider's of the same
-- word, in any case of letters: a list, sorted by key, the messages without one first.
create or replace function messaging.compared_sums(request jsonb, group_by text)
returns jsonb
language sql
set search_path = ''
as $$
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
