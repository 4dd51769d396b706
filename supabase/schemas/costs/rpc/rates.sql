-- admin-api: the rates of a workspace. `request`: workspaceId. Returns what describe_rates does. Error: MI013.
create or replace function public.get_rates(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.describe_rates(w.id)
  from messaging.find_workspace((request->>'workspaceId')::uuid) as w;
$$;

-- admin-api: makes the rates of a workspace what `request` says: workspaceId, currency, markets [{name,
-- callingCodes}] (no codes: the market of all other phones), rates [{market, category, amount (a decimal
-- text), effectiveFrom}], dryRun (changes nothing). The caller has checked that each rate's market is named,
-- and that no code, and no rate of a day, stands twice.
-- Returns {added, removed, changed}: how many rates; one is changed where its amount, the currency or its
-- market's codes are. What was estimated stays as it was. Errors: MI013. Locks the workspace's rates, then
-- lock_usage_notes.
create or replace function public.replace_rates(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  workspace messaging.workspaces := messaging.find_workspace((request->>'workspaceId')::uuid);
  difference jsonb;
begin
  -- Two calls at once are one after the other.
  perform pg_advisory_xact_lock(hashtextextended('rates ' || workspace.id, 0));
  select jsonb_build_object(
    'added', count(*) filter (where former.market is null),
    'removed', count(*) filter (where listed.market is null),
    'changed', count(*) filter (
      where (former.amount, former.terms) <> (listed.amount, listed.terms)
    )
  )
  into difference
  from messaging.listed_rates(messaging.describe_rates(workspace.id)) as former
  full join messaging.listed_rates(request) as listed
    using (market, category, effective_from);
  if (request->>'dryRun')::boolean then
    return difference;
  end if;
  -- What was delivered before keeps the former rates.
  perform messaging.settle_usage_notes(i.id)
  from messaging.instances i
  where i.workspace_id = workspace.id
  order by i.id;
  delete from messaging.rate_tables t where t.workspace_id = workspace.id;
  insert into messaging.rate_tables (workspace_id, currency)
  values (workspace.id, request->>'currency');
  insert into messaging.rate_markets (workspace_id, calling_code, market)
  select workspace.id, coalesce(code.value, ''), m->>'name'
  from jsonb_array_elements(request->'markets') as m
  left join lateral jsonb_array_elements_text(m->'callingCodes') as code on true;
  insert into messaging.rates (workspace_id, market, category, effective_from, amount)
  select workspace.id, r.market, r.category, r.effective_from, r.amount
  from messaging.listed_rates(request) as r;
  return difference;
end;
$$;

-- The rows of a rate table, as its file has them: one for each rate, with the calling codes of its market.
-- `request` as in replace_rates.
create or replace function messaging.listed_rates(request jsonb)
returns table (market text, category text, effective_from date, amount numeric, terms jsonb)
language sql stable set search_path = '' as $$
  select r.market, r.category, r."effectiveFrom", r.amount,
    jsonb_build_array(request->'currency', (
      select jsonb_agg(code.value order by code.value)
      from jsonb_array_elements(request->'markets') as m
      cross join lateral jsonb_array_elements(m->'callingCodes') as code
      where m->>'name' = r.market
    ))
  from jsonb_to_recordset(request->'rates') as r(
    market text, category text, "effectiveFrom" date, amount numeric
  );
$$;

-- The rates of a workspace in the form of replace_rates: currency (NULL where it has none), markets, rates.
create or replace function messaging.describe_rates(workspace_id uuid)
returns jsonb language sql stable set search_path = '' as $$
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
