-- Counts noted messages, prices deliveries, and adds both to the sums of messaging.usage. `request`:
-- maxChanges. Tells of budgets what has come true (see follow_budgets). Returns {folded, isComplete}: isComplete
-- is false where maxChanges was reached. Waits for nobody, and does nothing while another call does the same.
-- Plans must not depend on statistics: the tables are empty or hold a burst. Without jit: see
-- rescue_stalled_instances.
create or replace function public.fold_usage(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off set jit = off as $$
declare
  max_changes constant integer := (request->>'maxChanges')::integer;
  notes messaging.usage_notes[];
  taken messaging.usage_changes[];
  folded integer;
begin
  -- lock_usage_notes, without waiting for it.
  if not pg_try_advisory_xact_lock(hashtextextended('usage notes', 0)) then
    return '{"folded": 0, "isComplete": true}';
  end if;
  with gone as (
    delete from messaging.usage_notes n
    where n.ctid = any (array(
      select o.ctid from messaging.usage_notes o limit max_changes for update skip locked
    ))
    returning n as note
  )
  select array_agg(g.note) into notes from gone g;
  with gone as (
    delete from messaging.usage_changes d
    where d.id = any (array(
      select c.id from messaging.usage_changes c
      order by c.id
      limit max_changes
      for update skip locked
    ))
    returning d as change
  )
  select array_agg(g.change) into taken from gone g;
  folded := greatest(coalesce(cardinality(notes), 0), coalesce(cardinality(taken), 0));
  if folded > 0 then
    taken := taken || messaging.count_notes(coalesce(notes, '{}'));
    insert into messaging.usage as u
    select s.*
    from messaging.grouped_usage(taken) as s
    order by s.instance_id, s.grouping, s.day, s.key, s.currency
    on conflict on constraint usage_pkey do update
    set sent = u.sent + excluded.sent, delivered = u.delivered + excluded.delivered,
      free = u.free + excluded.free, unknown = u.unknown + excluded.unknown,
      amount = u.amount + excluded.amount;
    perform messaging.count_costs(taken);
    perform messaging.follow_budgets(array(
      select n.instance_id from unnest(notes) as n union select c.instance_id from unnest(taken) as c
    ));
  end if;
  return jsonb_build_object('folded', folded, 'isComplete', folded < max_changes);
end;
$$;

-- Adds what fold_usage has counted of the official channel's deliveries to the counters of their cost: by
-- currency and category, and how many messages were charged, free, or had no rate (unknown). A correction
-- lowers `counted`, and not what is reported. Categories that few know are `other`, so the number of series
-- stays small. Locks the counters in the order of their names and labels.
create or replace function messaging.count_costs(changes messaging.usage_changes[])
returns void language sql set search_path = '' as $$
  insert into messaging.metric_counters as c (name, labels, counted, reported)
  select s.name, s.labels, sum(s.amount), greatest(sum(s.amount), 0)
  from (
    select sample.name, sample.labels, sample.amount
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
    ) as sample(name, labels, amount)
    where i.provider_class = 'official' and sample.amount <> 0
  ) as s
  group by s.name, s.labels
  order by s.name, s.labels
  on conflict (name, labels) do update
  set counted = c.counted + excluded.counted,
    reported = greatest(c.reported, c.counted + excluded.counted),
    changed_at = clock_timestamp();
$$;

-- fold_usage: records what has become true of the budgets of these instances (see tell_budget), and lets what they
-- hold leave where they are not reached any more, because something was not delivered after all. Tries pacing
-- without waiting: the caller holds lock_usage_notes, for which a holder of pacing may wait.
create or replace function messaging.follow_budgets(instance_ids uuid[])
returns void language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  instance messaging.instances;
begin
  for instance in
    select i.* from messaging.instances i
    where i.id = any (instance_ids) and i.budget is not null
    order by i.id
  loop
    perform messaging.tell_budget(instance, clock);
    perform from messaging.pacing p where p.instance_id = instance.id for no key update skip locked;
    if found and not (messaging.budget_state(instance, clock)).is_reached then
      perform messaging.release_held_messages(instance.id, 'budget', clock);
      perform messaging.refresh_dispatch(array[instance.id]);
    end if;
  end loop;
end;
$$;
