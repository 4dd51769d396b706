-- note_server: holds every instance, since what commits of a lost server recorded may have left, and tells the
-- workspaces' alert addresses, each once, of its first instance. One that an operator holds without an end stays as it is; one that is suspect is
-- held anew, because its hold would end with a confirmation. Returns how many. Locks as set_operator_hold.
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
