-- Counts noted messages, prices deliveries, and adds both to the sums of messaging.usage. `request`:
-- maxChanges. Tells of budgets what has come true (see follow_budgets). Returns {folded, isComplete}: isComplete
-- is false where maxChanges was reached. Waits for nobody, and does nothing while another call does the same.
-- Plans must not depend on statistics: the tables are empty or hold a burst. Without jit: see
-- rescue_stalled_instances.
create or replace function public.fold_usage(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set jit = off
as $$
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
