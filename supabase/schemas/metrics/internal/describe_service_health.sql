-- The answer of get_service_health, without the age of what it says. `attention`: the twenty instances
-- that need it most, those that are late first.
create or replace function messaging.describe_service_health(
  states messaging.instance_state[],
  clock timestamptz
)
returns jsonb
language sql
stable
set search_path = ''
set enable_seqscan = off
as $$
  with instances as (
    select count(*) as total, count(*) filter (where s.status = 'held') as held,
      count(*) filter (where s.status = 'disconnected') as disconnected,
      count(*) filter (where s.status = 'late') as late,
      count(*) filter (where s.unconfirmed > 0) as with_unconfirmed,
      coalesce(sum(s.waiting), 0) as waiting, coalesce(sum(s.in_flight), 0) as in_flight,
      coalesce(sum(s.unconfirmed), 0) as unconfirmed, min(s.oldest_due) as oldest_due
    from unnest(states) as s
  ), outbox as (
    select
      (select count(*) from messaging.outbox o where o.settled_at is null) as pending,
      (select count(*) from messaging.outbox o where o.status = 'dead') as dead,
      (
        select min(o.run_at) from messaging.outbox o
        where o.settled_at is null and o.run_at <= clock
      ) as oldest_due
  )
  select jsonb_build_object(
    'status', case
      when i.late > 0 then 'late'
      when i.disconnected > 0 then 'disconnected'
      when i.held > 0 then 'held'
      else 'ok'
    end,
    'checkedAt', messaging.iso_in_zone(clock, 'UTC'),
    'instances', jsonb_build_object(
      'total', i.total, 'held', i.held, 'disconnected', i.disconnected, 'late', i.late, 'unconfirmed', i.with_unconfirmed
    ),
    'messages', jsonb_build_object(
      'queueDepth', i.waiting,
      'inFlight', i.in_flight,
      'unconfirmed', i.unconfirmed,
      'oldestDueAt', messaging.iso_in_zone(i.oldest_due, 'UTC'),
      'oldestDueSeconds', floor(extract(epoch from clock - i.oldest_due))
    ),
    'outbox', jsonb_build_object(
      'pending', o.pending,
      'dead', o.dead,
      'oldestDueAt', messaging.iso_in_zone(o.oldest_due, 'UTC'),
      'oldestDueSeconds', floor(extract(epoch from clock - o.oldest_due))
    ),
    'database', jsonb_build_object('sizeBytes', pg_database_size(current_database())),
    'attention', coalesce((
      select jsonb_agg(jsonb_build_object(
        'instanceId', a.instance_id,
        'name', a.name,
        'status', a.status,
        'heldBy', a.held_by,
        'oldestDueSeconds', floor(extract(epoch from clock - a.oldest_due)),
        'queueDepth', a.waiting,
        'unconfirmed', a.unconfirmed
      ) || messaging.shown_hold(a.hold_reason, a.hold_code, a.hold_until, 'UTC') order by a.place)
      from (
        select s.*, i.name, row_number() over (
          order by s.status = 'late' desc, s.status = 'disconnected' desc, s.status = 'held' desc,
            s.oldest_due nulls last,
            s.unconfirmed desc, s.instance_id
        ) as place
        from unnest(states) as s
        join messaging.instances i on i.id = s.instance_id
        where s.status <> 'ok' or s.unconfirmed > 0
      ) as a
      where a.place <= 20
    ), '[]')
  )
  from instances i
  cross join outbox o;
$$;
