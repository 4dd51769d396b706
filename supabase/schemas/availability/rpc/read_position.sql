-- Tells a process what a standby must have replayed to answer a read as the primary would: everything that was
-- committed, and answered, before this call. `request`: instanceIds, whose feeds are read there;
-- settledThrough, of the answer before.
-- Returns {server: the mark of the noted server; lsn; horizons {instanceId: n}: see event_horizon; settledThrough}.
-- A position of the log counts on one timeline only. A standby that replays another one than this server's may be
-- beyond `lsn` and lack what it means; it also lacks the row of note_server, so it has another mark.
-- `lsn` is read after the horizons: who reads up to a horizon on a standby that has replayed so far sees every event
-- up to it. A commit is flushed before it becomes visible, unless synchronous_commit is off.
-- What is told is on a synchronous standby first, where there is one (await_standby). settledThrough saves that: no
-- writer was at work, and no number has been drawn since, so that was waited for before. NULL where one was at work.
-- Over a standby the statements must stay in this order: see the head of events/tables/events.sql.
create or replace function public.read_position(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  last_drawn bigint;
  horizons jsonb;
  is_settled boolean;
begin
  select case when s.is_called then s.last_value else 0 end into last_drawn
  from messaging.event_sequence s;
  with floors as materialized (
    select l.classid::bigint as key, min(messaging.event_floor(last_drawn, l.objid)) as lowest
    from pg_catalog.pg_locks l
    where l.locktype = 'advisory' and l.objsubid = 2
      and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
    group by l.classid
  )
  select
    coalesce(
      jsonb_object_agg(
        i.id,
        least(last_drawn, (
          select min(f.lowest) from floors f
          where f.key in (0, uuid_hash(i.id::uuid)::bigint & 4294967295)
        ))
      ),
      '{}'
    ),
    not exists (select from floors)
  into horizons, is_settled
  from jsonb_array_elements_text(request->'instanceIds') as i(id);
  if horizons <> '{}' and last_drawn is distinct from (request->>'settledThrough')::bigint then
    perform messaging.await_standby();
  end if;
  return jsonb_build_object(
    'server', (select messaging.server_mark(s) from messaging.noted_server() as s),
    'lsn', case
      when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn()
    end,
    'horizons', horizons,
    'settledThrough', case when is_settled and horizons <> '{}' then last_drawn end
  );
end;
$$;
