-- Adds what fold_usage has counted of the official channel's deliveries to the counters of their cost: by
-- currency and category, and how many messages were charged, free, or had no rate (unknown). A correction
-- lowers `counted`, and not what is reported. Categories that few know are `other`, so the number of series
-- stays small. Locks the counters in the order of their names and labels.
create or replace function messaging.count_costs(changes messaging.usage_changes[])
returns void
language sql
set search_path = ''
set enable_seqscan = off
as $$
  insert into messaging.metric_counters as c (name, labels, counted, reported)
  select s.name, s.labels, sum(s.amount), greatest(sum(s.amount), 0)
  from (
    select told.name, told.labels, told.amount
    from unnest(changes) as u
    join messaging.instances i on i.id = any (array[u.instance_id])
    cross join lateral (
      select case
        when lower(u.category) = any (messaging.priced_categories()) then lower(u.category)
        else 'other'
      end as category
    ) as known
    cross join lateral (
      values
        (
          'messaging_estimated_cost_total',
          jsonb_build_object('currency', u.currency, 'category', known.category),
          case when u.currency is not null then u.amount else 0 end
        ),
        (
          'messaging_delivered_messages_total',
          jsonb_build_object('category', known.category, 'billing', 'charged'),
          u.delivered - u.free - u.unknown
        ),
        (
          'messaging_delivered_messages_total',
          jsonb_build_object('category', known.category, 'billing', 'free'), u.free
        ),
        (
          'messaging_delivered_messages_total',
          jsonb_build_object('category', known.category, 'billing', 'unknown'), u.unknown
        )
    ) as told(name, labels, amount)
    where i.provider_class = 'official' and told.amount <> 0
  ) as s
  group by s.name, s.labels
  order by s.name, s.labels
  on conflict (name, labels) do update
  set counted = c.counted + excluded.counted,
    reported = greatest(c.reported, c.counted + excluded.counted),
    changed_at = clock_timestamp();
$$;
