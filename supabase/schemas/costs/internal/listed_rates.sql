-- The rows of a rate table, as its file has them: one for each rate, with the calling codes of its market.
-- `request` as in replace_rates.
create or replace function messaging.listed_rates(request jsonb)
returns table (market text, category text, effective_from date, amount numeric, terms jsonb)
language sql
stable
set search_path = ''
as $$
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
