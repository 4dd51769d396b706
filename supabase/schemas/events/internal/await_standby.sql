-- Has the transaction end only when a synchronous standby has everything that it has seen, where one is
-- configured; else nothing. A transaction that has written waits by itself. One that has only read does not, and
-- it may have seen what the standby does not have: when the server dies, a commit that waits for the standby ends
-- its wait and becomes visible to the sessions that still work. The wait is that of Postgres itself, for the
-- commit of a record that says nothing.
create or replace function messaging.await_standby()
returns void language plpgsql set search_path = '' as $$
begin
  if current_setting('synchronous_standby_names') <> '' and not pg_is_in_recovery() then
    perform pg_logical_emit_message(true, 'messaging', '');
  end if;
end;
$$;
