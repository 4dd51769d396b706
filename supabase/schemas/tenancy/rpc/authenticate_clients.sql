-- Authenticates several client tokens at once. `request`: calls, the requests of authenticate_client.
-- Returns {results}, in the order of the calls. docs/performance.md has what a call costs in a group.
-- The calls of one token for one function are one count of as many: each gets its own `remaining`.
-- Where the allowance does not suffice for all of them, they are counted one by one.
-- Locks tokens (skipping locked ones), then rate limits in the order of their keys: two groups never
-- wait for each other. Errors: 55P03 where one is not free in time: each call must be made by itself.
-- Plans must not depend on statistics: there may be ten tokens or a million. Joins by
-- `= any (array[...])`: see claim_due_messages.
-- Over 80 lines: two statements for all calls, whatever their number.
create or replace function public.authenticate_clients(request jsonb)
returns jsonb language plpgsql set search_path = '' set lock_timeout = '100ms'
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  calls constant jsonb := request->'calls';
  start constant timestamptz := clock_timestamp();
  tokens messaging.client_tokens[];
  unused uuid[];
  counted messaging.rate_limits[];
  counted_at timestamptz;
begin
  select array_agg(t),
    array_agg(t.id) filter (
      where messaging.is_token_use_due(t.last_used_at, start)
    )
  into tokens, unused
  from messaging.client_tokens t
  where t.token_hash = any (array(select c->>'tokenHash' from jsonb_array_elements(calls) as c))
    and messaging.is_token_valid(t, start);
  if unused is not null then
    perform messaging.note_token_use(unused);
  end if;

  -- One statement for the allowances of all tokens.
  with asked as (
    select t.id as token_id, c."functionName" as function_name,
      interval '1 minute' / i.requests_per_minute
        * least(count(*), i.requests_per_minute) as share
    from jsonb_to_recordset(calls) as c("tokenHash" text, "functionName" text)
    join unnest(tokens) as t on t.token_hash = c."tokenHash"
    join messaging.instances i on i.id = any (array[t.instance_id])
    where i.requests_per_minute is not null
    group by t.id, c."functionName", i.requests_per_minute
  ), counting as (
    insert into messaging.rate_limits as r (token_id, function_name, whole_at)
    select a.token_id, a.function_name, start + a.share from asked a
    order by a.token_id, a.function_name
    on conflict on constraint rate_limits_pkey do update
    set whole_at = messaging.spent_allowance(r.whole_at, excluded.whole_at - start, clock_timestamp())
    where messaging.suffices_allowance(r.whole_at, excluded.whole_at - start, clock_timestamp())
    returning r.*
  )
  select array_agg(row(k.*)::messaging.rate_limits) into counted from counting k;

  counted_at := clock_timestamp();
  return (
    with clients as materialized (
      select t.id as token_id, t.token_hash, t.scopes, i.requests_per_minute, i.xmin::text as instance_version,
        messaging.authenticated_instance(i) as instance
      from unnest(tokens) as t
      join messaging.instances i on i.id = any (array[t.instance_id])
    ), numbered as (
      select c.place, c.call->>'functionName' as function_name, client.*,
        row_number() over same_count as number,
        count(*) over (partition by client.token_id, c.call->>'functionName') as total
      from jsonb_array_elements(calls) with ordinality as c(call, place)
      left join clients client on client.token_hash = c.call->>'tokenHash'
      window same_count as (
        partition by client.token_id, c.call->>'functionName' order by c.place
      )
    )
    select jsonb_build_object('results', jsonb_agg(
      jsonb_build_object(
        'tokenId', n.token_id,
        'scopes', n.scopes,
        'instance', n.instance,
        'instanceVersion', n.instance_version,
        'rateLimit', case
          when n.requests_per_minute is null then null
          when k.token_id is null or n.number > n.requests_per_minute
            then messaging.count_request(n.token_id, n.function_name, n.requests_per_minute)
          else messaging.describe_rate_limit(
            n.requests_per_minute,
            messaging.allowance_seconds_left(
              n.requests_per_minute, k.whole_at,
              least(n.total, n.requests_per_minute) - n.number, counted_at
            ),
            true
          )
        end
      )
      order by n.place
    ))
    from numbered n
    left join unnest(counted) as k
      on k.token_id = n.token_id and k.function_name = n.function_name
  );
end;
$$;
