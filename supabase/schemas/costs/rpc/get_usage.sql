-- messages-api: what an instance's messages have cost. `request`: instanceId, from and to (days of its time
-- zone, both included), groupBy (day, month, category, type, messageType, sentBy, agent, batch, market), daily
-- (whether each day has sums of its own), limit, `after` {day, key} as returned in `next` (NULL for the first
-- page).
-- Returns {currency, items [{day (with daily), key (NULL for none), sent, delivered, free, estimatedCost,
-- unknown}], next}, sorted by day and key. `currency` is that of the workspace's rates; what was estimated in
-- another one counts as unknown, as currencies are never added up. What has just been noted is counted first:
-- see settle_usage_notes.
create or replace function public.get_usage(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  instance messaging.instances;
  own_currency text;
  grouped_by constant text := request->>'groupBy';
  is_daily constant boolean := coalesce((request->>'daily')::boolean, false);
  page_size constant integer := (request->>'limit')::integer;
  stored_grouping constant text := case when grouped_by = 'month' then 'day' else grouped_by end;
  records jsonb[];
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  perform messaging.settle_usage_notes(instance.id);
  select t.currency into own_currency from messaging.rate_tables t
  where t.workspace_id = instance.workspace_id;
  records := array(
    with counted as (
      select u.* from messaging.usage u
      where u.instance_id = instance.id and u.grouping = stored_grouping
        and u.day between (request->>'from')::date and (request->>'to')::date
      union all
      select s.* from messaging.grouped_usage(array(
        select c from messaging.usage_changes c where c.instance_id = instance.id
      )) as s
      where s.grouping = stored_grouping
        and s.day between (request->>'from')::date and (request->>'to')::date
    ),
    keyed as (
      select case grouped_by
          when 'day' then to_char(c.day, 'YYYY-MM-DD') when 'month' then to_char(c.day, 'YYYY-MM')
          else c.key
        end as key,
        case when is_daily then to_char(c.day, 'YYYY-MM-DD') else '' end as day,
        c.currency, c.sent, c.delivered, c.free, c.unknown, c.amount
      from counted c
    )
    select jsonb_build_object('day', k.day, 'key', k.key, 'record', case
      when is_daily then jsonb_build_object('day', k.day)
      else '{}'
    end || jsonb_build_object(
      'key', nullif(k.key, ''),
      'sent', sum(k.sent),
      'delivered', sum(k.delivered),
      'free', sum(k.free),
      'estimatedCost', trim_scale(
        coalesce(sum(k.amount) filter (where k.currency = own_currency), 0)
      )::text,
      'unknown', sum(
        messaging.unknown_cost(k.unknown, k.delivered, k.currency, own_currency)
      )
    ))
    from keyed k
    where request->'after'->>'key' is null
      or (k.day, k.key) > (coalesce(request->'after'->>'day', ''), request->'after'->>'key')
    group by k.day, k.key
    having (sum(k.sent), sum(k.delivered)) <> (0, 0)
    order by k.day, k.key
    limit page_size + 1
  );
  return messaging.build_page(records, page_size) || jsonb_build_object('currency', own_currency);
end;
$$;
