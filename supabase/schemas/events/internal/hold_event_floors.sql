-- hold_event_floor for several instances. For more than a hundred one lock stands for all instances,
-- under a key that every reader looks at: Postgres has room for a few thousand locks in all. NULL ids
-- mean none.
create or replace function messaging.hold_event_floors(instance_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  if cardinality(instance_ids) > 100 then
    perform
      pg_advisory_xact_lock_shared(
        0, (case when s.is_called then s.last_value else 0 end)::bit(32)::integer
      ),
      set_config('messaging.event_floors', '*', true)
    from messaging.event_sequence s
    where strpos(coalesce(current_setting('messaging.event_floors', true), ''), '*') = 0;
  else
    perform messaging.hold_event_floor(concerned.instance_id)
    from (select distinct i.instance_id from unnest(instance_ids) as i(instance_id)) as concerned;
  end if;
end;
$$;
revoke all on function messaging.hold_event_floors(uuid[]) from public, anon, authenticated;
grant execute on function messaging.hold_event_floors(uuid[]) to service_role;
