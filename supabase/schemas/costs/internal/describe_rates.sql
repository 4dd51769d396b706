-- The rates of a workspace in the form of replace_rates: currency (NULL where it has none), markets, rates.
create or replace function messaging.describe_rates(workspace_id uuid)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'workspaceId', describe_rates.workspace_id,
    'currency', (
      select t.currency from messaging.rate_tables t
      where t.workspace_id = describe_rates.workspace_id
    ),
    'markets', coalesce((
      select jsonb_agg(
        jsonb_build_object('name', named.market, 'callingCodes', named.codes) order by named.market
      )
      from (
        select m.market,
          coalesce(
            jsonb_agg(m.calling_code order by m.calling_code) filter (where m.calling_code <> ''), '[]'
          ) as codes
        from messaging.rate_markets m
        where m.workspace_id = describe_rates.workspace_id
        group by m.market
      ) as named
    ), '[]'),
    'rates', coalesce((
      select jsonb_agg(
        jsonb_build_object(
          'market', r.market, 'category', r.category, 'amount', trim_scale(r.amount)::text,
          'effectiveFrom', r.effective_from
        )
        order by r.market, r.category, r.effective_from
      )
      from messaging.rates r
      where r.workspace_id = describe_rates.workspace_id
    ), '[]')
  );
$$;
