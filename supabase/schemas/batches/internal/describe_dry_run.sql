-- What a dry run answers: `steps` as walk_batches gives them, in order, with instants in the instance's zone.
-- `next_index`: where the next part of the list begins; NULL for none. `warnings`: see batch_warnings.
create or replace function messaging.describe_dry_run(
  instance messaging.instances, batch messaging.batches, entries jsonb,
  steps messaging.batch_step[], next_index integer, warnings jsonb
) returns jsonb language sql stable set search_path = '' as $$
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
      'firstScheduledFor', messaging.iso_in_zone(min(s.slot), instance.time_zone),
      'lastScheduledFor', messaging.iso_in_zone(max(s.slot), instance.time_zone),
      'days', count(distinct (s.slot at time zone instance.time_zone)::date)
    ) || messaging.count_open_windows(instance, steps) || jsonb_build_object(
      'sentAs', messaging.count_sent_as(instance, batch, steps, entries)
    ),
    'items', coalesce(jsonb_agg(jsonb_build_object(
      'index', s.index,
      'outcome', case when s.slot is null then 'skip' else 'send' end,
      'reason', s.reason,
      'scheduledFor', messaging.iso_in_zone(s.slot, instance.time_zone)
    ) order by s.index), '[]'),
    'nextIndex', next_index,
    'warnings', warnings
  )
  from unnest(steps) as s;
$$;
