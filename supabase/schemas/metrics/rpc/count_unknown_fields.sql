-- provider-webhook: counts the names in a payload that no reader knows (shared/providers/webhooks/known_fields.ts).
-- `request`: provider, fields. Of a provider the first hundred names are counted by themselves, all later ones
-- as `other`, so that no payload can fill the metrics. Returns {}. Locks the rows of the counters in one order.
create or replace function public.count_unknown_fields(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  counter constant text := 'messaging_unknown_webhook_fields_total';
  most_names constant integer := 100;
begin
  insert into messaging.metric_counters as c (name, labels, counted, reported)
  select counter, named.labels, count(*), count(*)
  from jsonb_array_elements_text(request->'fields') as unknown(field)
  cross join lateral (
    select jsonb_build_object('provider', request->>'provider', 'field', unknown.field) as labels
  ) as own
  cross join lateral (
    select case
      when exists (
        select from messaging.metric_counters k where k.name = counter and k.labels = own.labels
      ) or (
        select count(*) < most_names from messaging.metric_counters k
        where k.name = counter and k.labels->>'provider' = request->>'provider'
      ) then own.labels
      else own.labels || '{"field": "other"}'
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
