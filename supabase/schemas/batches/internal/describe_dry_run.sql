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

-- Of the messages to which `steps` give slots: {windowOpen, how many find the contact's window open at their
-- slot; freeEntryPoint, how many the channel would bill nothing for}. By what is known now, see shown_window.
create or replace function messaging.count_open_windows(
  instance messaging.instances, steps messaging.batch_step[]
) returns jsonb language plpgsql stable set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
begin
  if instance.provider_class <> 'official' then
    return jsonb_build_object(
      'windowOpen', (select count(s.slot) from unnest(steps) as s), 'freeEntryPoint', 0
    );
  end if;
  return (
    select jsonb_build_object(
      'windowOpen', count(*) filter (where messaging.window_closes_at(c.last_inbound_at) >= s.slot),
      'freeEntryPoint', count(free.ends_at)
    )
    from unnest(steps) as s
    join messaging.contacts c on c.id = any (array[s.contact_id])
    left join lateral messaging.free_entry_point(c.id, c.last_inbound_at, s.slot) as free
      on true
    where s.slot is not null
  );
end;
$$;

-- How the messages would go to which `steps` give slots: {message, direct_send, template, invitation}, by what is
-- known now. `entries`: the recipients, where they are not stored.
create or replace function messaging.count_sent_as(
  instance messaging.instances, batch messaging.batches, steps messaging.batch_step[], entries jsonb
) returns jsonb language plpgsql stable set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  sends constant bigint := (select count(s.slot) from unnest(steps) as s);
  none constant jsonb := '{"message": 0, "direct_send": 0, "template": 0, "invitation": 0}';
begin
  if batch.source ? 'template' and instance.provider_class = 'official' then
    return none || jsonb_build_object('template', sends);
  elsif not messaging.has_ladder(instance, batch) then
    return none || jsonb_build_object('message', sends);
  end if;
  return (
    select none || coalesce(jsonb_object_agg(told.sent_as, told.number), '{}')
    from (
      select case when p.rung = '{}' then 'message' else messaging.rung_sent_as(p.rung) end as sent_as,
        count(*) as number
      from unnest(steps) as s
      left join messaging.contacts c on c.id = any (array[s.contact_id])
      cross join lateral (
        select messaging.planned_rung(
          instance, c, messaging.planned_ladder(batch, entries, s.index), s.slot
        ) as rung
      ) as p
      where s.slot is not null and p.rung is not null
      group by 1
    ) as told
  );
end;
$$;
