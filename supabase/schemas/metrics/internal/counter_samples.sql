-- The totals: counters as reported, 0 where nothing has happened yet, and how many rows of the queue
-- and of the provider events were ever numbered. The lateness histogram's buckets are added up here.
create or replace function messaging.counter_samples()
returns table (name text, labels jsonb, value numeric)
language sql
stable
set search_path = ''
as $$
  with providers as (
    select distinct i.provider from messaging.instances i
  ), series(name, labels) as (
    select k.name, jsonb_build_object('provider', p.provider)
    from providers p
    cross join (values
      ('messaging_messages_sent_total'),
      ('messaging_messages_failed_total'),
      ('messaging_messages_unconfirmed_total'),
      ('messaging_dispatch_lateness_seconds_sum')
    ) as k(name)
    union all
    select 'messaging_outbox_settled_total', jsonb_build_object('kind', k.kind, 'status', s.status)
    from (values ('assignment_email'), ('endpoint_disabled_email'), ('instance_disconnected_email'), ('instance_held_email'), ('batch_paused_email'), ('budget_email'), ('agent_reply')) as k(kind)
    cross join (values ('done'), ('dead')) as s(status)
    union all
    (
      select 'messaging_unknown_webhook_fields_total',
        jsonb_build_object('provider', p.provider, 'field', 'other')
      from providers p
      union
      select c.name, c.labels from messaging.metric_counters c
      where c.name = 'messaging_unknown_webhook_fields_total'
    )
    union all
    (
      select 'messaging_estimated_cost_total',
        jsonb_build_object('currency', t.currency, 'category', k.category)
      from messaging.rate_tables t
      cross join unnest(messaging.priced_categories()) as k(category)
      union
      select c.name, c.labels from messaging.metric_counters c
      where c.name = 'messaging_estimated_cost_total'
    )
    union all
    (
      select 'messaging_delivered_messages_total',
        jsonb_build_object('category', k.category, 'billing', b.billing)
      from unnest(messaging.priced_categories()) as k(category)
      cross join (values ('charged'), ('free'), ('unknown')) as b(billing)
      union
      select c.name, c.labels from messaging.metric_counters c
      where c.name = 'messaging_delivered_messages_total'
    )
    union all
    select k.name, '{}'::jsonb
    from (values
      ('messaging_claim_expiries_total'), ('messaging_maintenance_runs_total')
    ) as k(name)
  ), buckets as (
    select p.provider, b.bound, coalesce(c.reported, 0) as amount
    from providers p
    cross join unnest(messaging.lateness_bounds() || 'infinity'::numeric) as b(bound)
    left join messaging.metric_counters c
      on c.name = 'messaging_dispatch_lateness_seconds_bucket'
        and c.labels = jsonb_build_object(
          'provider', p.provider,
          'le', case when b.bound = 'infinity' then '+Inf' else b.bound::text end
        )
  )
  select s.name, s.labels, coalesce(c.reported, 0)
  from series s
  left join messaging.metric_counters c on c.name = s.name and c.labels = s.labels
  union all
  (
    select 'messaging_dispatch_lateness_seconds_bucket',
      jsonb_build_object(
        'provider', b.provider,
        'le', case when b.bound = 'infinity' then '+Inf' else b.bound::text end
      ),
      sum(b.amount) over (partition by b.provider order by b.bound)
    from buckets b
    order by b.provider, b.bound
  )
  union all
  select 'messaging_dispatch_lateness_seconds_count', jsonb_build_object('provider', b.provider),
    sum(b.amount)
  from buckets b
  group by b.provider
  union all
  select 'messaging_queue_entries_total', '{}'::jsonb,
    case when q.is_called then q.last_value else 0 end
  from messaging.message_queue_position_seq q
  union all
  select 'messaging_provider_events_total', '{}'::jsonb,
    case when e.is_called then e.last_value else 0 end
  from messaging.provider_events_id_seq e
  union all
  select 'messaging_last_maintenance_timestamp_seconds', '{}'::jsonb,
    round(extract(epoch from c.changed_at), 3)
  from messaging.metric_counters c
  where c.name = 'messaging_maintenance_runs_total';
$$;
