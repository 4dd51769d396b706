-- What was settled after `since` and until `until`, as additions to counters: messages sent, failed and
-- unconfirmed by provider, how late queued ones left, outbox rows by kind.
-- Lateness is counted for first attempts: a retry waits on purpose. Buckets are counted singly here, by
-- their upper bound `le`; Prometheus has each include those below.
-- Steps from instance to instance through messages_sent and messages_failures, so older messages
-- cost nothing.
create or replace function messaging.count_settled(since timestamptz, until timestamptz)
returns table (name text, labels jsonb, amount numeric)
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  with sent as materialized (
    select i.provider,
      case
        when m.mode in ('queued', 'scheduled') and m.attempts <= 1
          then greatest(extract(epoch from m.sent_at - m.scheduled_for), 0)
      end as late_seconds
    from messaging.instances i
    join messaging.messages m on m.instance_id = i.id
    where m.direction = 'outbound' and m.sent_at is not null and m.status <> 'failed'
      and m.sent_at > since and m.sent_at <= until and not m.is_typed_on_phone
  ), failures as (
    select i.provider, m.status
    from messaging.instances i
    join messaging.messages m on m.instance_id = i.id
    where m.status in ('failed', 'unconfirmed')
      and coalesce(m.failed_at, m.unconfirmed_at) > since
      and coalesce(m.failed_at, m.unconfirmed_at) <= until
  )
  select 'messaging_messages_sent_total', jsonb_build_object('provider', s.provider), count(*)
  from sent s
  group by s.provider
  union all
  select format('messaging_messages_%s_total', g.status),
    jsonb_build_object('provider', g.provider), count(*)
  from failures g
  group by g.provider, g.status
  union all
  select 'messaging_dispatch_lateness_seconds_bucket',
    jsonb_build_object('provider', s.provider, 'le', coalesce(bucket.bound::text, '+Inf')), count(*)
  from sent s
  cross join lateral (
    select min(b.bound) from unnest(messaging.lateness_bounds()) as b(bound)
    where b.bound >= s.late_seconds
  ) as bucket(bound)
  where s.late_seconds is not null
  group by s.provider, bucket.bound
  union all
  select 'messaging_dispatch_lateness_seconds_sum',
    jsonb_build_object('provider', s.provider), round(sum(s.late_seconds), 3)
  from sent s
  where s.late_seconds is not null
  group by s.provider
  union all
  select 'messaging_outbox_settled_total',
    jsonb_build_object('kind', o.kind, 'status', o.status), count(*)
  from messaging.outbox o
  where o.status in ('done', 'dead') and o.settled_at > since and o.settled_at <= until
  group by o.kind, o.status;
$$;
