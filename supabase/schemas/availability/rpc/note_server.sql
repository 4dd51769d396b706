-- Notes on which server the database is. Called by each process on each new connection before anything else, so
-- that nothing is done on a promoted server before this, and by the dispatcher. `request`: promotion: `hold` or
-- `continue`; renews: whether to renew seen_at, as the dispatcher does.
-- Returns {state}: `known`, or, to the one call that notes it, `promoted` with {timeline, lacksCommits,
-- replayedAt, held}: whether commits may be missing, the last that was replayed, and how many instances are
-- held for that. Error: 25006 on a standby.
-- Commits are missing unless the server before was synchronous when it was last noted, within ten minutes, is of
-- the same cluster and an earlier timeline, and no recovery to a point in time is set. (What is older may be an
-- archive, or a standby that had been cut off.) Then:
--   * what they recorded may have left, so every queue is held as after a restore (see hold_queue), but for
--     `continue`. An operator's hold without an end stays.
--   * the numbers of their events are not drawn again: a reader who has seen those would pass by the new ones.
-- Locks: one note at a time; then as set_operator_hold.
create or replace function public.note_server(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  server record;
  known messaging.database_servers;
  lacks_commits boolean;
  event_jump constant bigint := 1000000000;
  last_drawn bigint;
  last_kept bigint;
  held integer := 0;
begin
  if pg_is_in_recovery() then
    raise exception 'a standby' using errcode = '25006';
  end if;
  select s.* into server from messaging.present_server() as s;
  known := messaging.noted_server();
  if (known.system_identifier, known.timeline, known.is_synchronous)
    is not distinct from (server.system_identifier, server.timeline, server.is_synchronous) then
    if server.is_synchronous and (request->>'renews')::boolean then
      update messaging.database_servers s
      set seen_at = clock
      where s.id = known.id and s.seen_at < clock - interval '1 minute';
    end if;
    return jsonb_build_object('state', 'known');
  end if;
  perform pg_advisory_xact_lock(hashtext('messaging server'));
  known := messaging.noted_server();
  if known.id is null then
    insert into messaging.database_servers (system_identifier, timeline, is_synchronous)
    values (server.system_identifier, server.timeline, server.is_synchronous);
    return jsonb_build_object('state', 'known');
  elsif (known.system_identifier, known.timeline) = (server.system_identifier, server.timeline) then
    update messaging.database_servers s
    set is_synchronous = server.is_synchronous, seen_at = clock
    where s.id = known.id and s.is_synchronous <> server.is_synchronous;
    return jsonb_build_object('state', 'known');
  end if;

  lacks_commits := not (
    known.is_synchronous and known.seen_at > clock - interval '10 minutes'
    and known.system_identifier = server.system_identifier
    and known.timeline < server.timeline
    and concat(
      current_setting('recovery_target'), current_setting('recovery_target_lsn'),
      current_setting('recovery_target_name'), current_setting('recovery_target_time'),
      current_setting('recovery_target_xid')
    ) = ''
  );
  if lacks_commits then
    last_drawn := coalesce(pg_sequence_last_value('messaging.event_sequence'), 0);
    last_kept := coalesce((select max(e.sequence) from messaging.events e), last_drawn);
    perform setval('messaging.event_sequence', last_drawn + event_jump);
  end if;
  insert into messaging.database_servers (
    system_identifier, timeline, is_synchronous, lacks_commits, replayed_at, events_through, events_before
  )
  values (
    server.system_identifier, server.timeline, server.is_synchronous, lacks_commits,
    pg_last_xact_replay_timestamp(), last_kept, last_drawn + event_jump
  );
  if lacks_commits and request->>'promotion' is distinct from 'continue' then
    held := messaging.hold_promoted();
  end if;
  return jsonb_build_object(
    'state', 'promoted',
    'timeline', server.timeline,
    'lacksCommits', lacks_commits,
    'replayedAt', messaging.iso_in_zone(pg_last_xact_replay_timestamp(), 'UTC'),
    'held', held
  );
end;
$$;

-- The server that executes this, which must not be in recovery: its cluster, its timeline, and whether its
-- commits wait for a standby. The file of the write position names the timeline at once after a promotion;
-- pg_control_checkpoint does so after the next checkpoint only.
create or replace function messaging.present_server()
returns table (system_identifier bigint, timeline integer, is_synchronous boolean) language sql
set search_path = '' as $$
  select c.system_identifier,
    ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer,
    current_setting('synchronous_standby_names') <> ''
      and current_setting('synchronous_commit') not in ('off', 'local')
  from pg_control_system() as c;
$$;

-- note_server: holds every instance, since what commits of a lost server recorded may have left, and tells the
-- workspaces' alert addresses, each once, of its first instance. One that an operator holds without an end
-- stays as it is; one that is suspect is held anew, because its hold would end with a confirmation. Returns
-- how many. Locks as set_operator_hold.
create or replace function messaging.hold_promoted()
returns integer language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  held constant uuid[] := array(
    select d.instance_id from messaging.dispatch d
    where d.operator_hold_until < 'infinity' or d.suspected_at is not null
  );
begin
  perform messaging.set_operator_hold(held, 'infinity', 'database_promoted');
  perform messaging.tell_hold(i, 'operator_hold', true, clock)
  from (
    select distinct on (i.workspace_id) i.id
    from messaging.instances i
    where i.id = any (held)
    order by i.workspace_id, i.created_at, i.id
  ) as first
  join messaging.instances i on i.id = first.id;
  return cardinality(held);
end;
$$;
