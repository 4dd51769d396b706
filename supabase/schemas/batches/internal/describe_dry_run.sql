-- What a dry run answers: `steps` as walk_batches gives them, in order, with instants in the instance's zone.
-- `next_index`: where the next part of the list begins; NULL for none.
create or replace function messaging.describe_dry_run(
  steps messaging.batch_step[],
  zone text,
  next_index integer
)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'summary', jsonb_build_object(
      'send', count(s.slot),
      'skip', (
        select coalesce(jsonb_object_agg(r.reason, r.number), '{}')
        from (
          select p.reason, count(*) as number
          from unnest(steps) as p
          where p.reason is not null
          group by p.reason
        ) as r
      ),
      'firstScheduledFor', messaging.iso_in_zone(min(s.slot), zone),
      'lastScheduledFor', messaging.iso_in_zone(max(s.slot), zone),
      'days', count(distinct (s.slot at time zone zone)::date)
    ),
    'items', coalesce(jsonb_agg(jsonb_build_object(
      'index', s.index,
      'outcome', case when s.slot is null then 'skip' else 'send' end,
      'reason', s.reason,
      'scheduledFor', messaging.iso_in_zone(s.slot, zone)
    ) order by s.index), '[]'),
    'nextIndex', next_index
  )
  from unnest(steps) as s;
$$;
