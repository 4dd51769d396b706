-- On a standby: whether it has replayed up to a position that read_position has told, so that what is read next sees
-- everything up to it. `request`: server, lsn, as told. Called in a statement before the one that reads: the snapshot
-- of its own statement may be older. FALSE on a server that is no standby: it may be another one than writes go to.
create or replace function public.has_replayed(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select to_jsonb(
    pg_is_in_recovery()
      and pg_last_wal_replay_lsn() >= (request->>'lsn')::pg_lsn
      and exists (
        select from messaging.noted_server() as s
        where messaging.server_mark(s) = request->>'server'
      )
  );
$$;
