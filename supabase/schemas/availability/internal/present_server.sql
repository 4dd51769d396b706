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
