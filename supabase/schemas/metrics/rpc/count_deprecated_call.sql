-- Counts a call of what is to go (shared/model/deprecations.ts), by token, so that the operator of the service
-- knows whom to tell. `request`: names (of what the call has used), tokenId (NULL for a call without a token).
-- The first hundred pairs are counted by themselves, of all later ones the token is `other`, so that tokens
-- cannot fill the metrics. Returns {}. Locks the rows of the counters in one order.
create or replace function public.count_deprecated_call(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  counter constant text := 'messaging_deprecated_calls_total';
  most_series constant integer := 100;
begin
  insert into messaging.metric_counters as c (name, labels, counted, reported)
  select counter, named.labels, count(*), count(*)
  from jsonb_array_elements_text(request->'names') as used(name)
  cross join lateral (
    select jsonb_build_object(
      'deprecated', used.name, 'token_id', coalesce(request->>'tokenId', 'none')
    ) as labels
  ) as own
  cross join lateral (
    select case
      when exists (
        select from messaging.metric_counters k where k.name = counter and k.labels = own.labels
      ) or (
        select count(*) < most_series from messaging.metric_counters k where k.name = counter
      ) then own.labels
      else own.labels || '{"token_id": "other"}'
    end as labels
  ) as named
  group by named.labels
  order by named.labels
  on conflict (name, labels) do update
  set counted = c.counted + excluded.counted,
    reported = c.reported + excluded.counted,
    changed_at = clock_timestamp();
  return '{}';
end;
$$;
