-- How far the newest 20 messages that each instance has sent in the last hour have come: `sent`,
-- `delivered` or `read`. A sample, so that an hour of heavy traffic costs no more than a quiet one.
create or replace function messaging.recent_samples(clock timestamptz)
returns table (name text, labels jsonb, value numeric)
language sql
stable
set search_path = ''
set enable_seqscan = off
as $$
  with newest as materialized (
    select i.provider, m.status
    from messaging.instances i
    cross join lateral (
      select m.status from messaging.messages m
      where m.instance_id = i.id and m.direction = 'outbound' and m.sent_at is not null
        and m.status <> 'failed' and m.sent_at > clock - interval '1 hour'
      order by m.sent_at desc
      limit 20
    ) as m
  )
  select 'messaging_recent_messages',
    jsonb_build_object('provider', p.provider, 'status', k.status),
    (select count(*) from newest n where n.provider = p.provider and n.status = k.status)
  from (select distinct i.provider from messaging.instances i) as p
  cross join (values ('sent'), ('delivered'), ('read')) as k(status);
$$;
