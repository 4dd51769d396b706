-- Must be called before the transaction draws its first event number for the instance, in a statement
-- of its own: see the head of tables/events.sql. Later calls in the transaction do nothing: the first
-- floor is the lowest. Which instances have one is kept in a setting that, like the lock, ends with the
-- transaction, or with the part of it that is rolled back; `*` is one for all instances.
-- Takes a shared advisory lock of two numbers: the instance's hash and the low 32 bits of the floor. No
-- one takes it exclusively, so nothing waits. (Advisory locks of one number are taken elsewhere.)
create or replace function messaging.hold_event_floor(instance_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
declare
  held constant text := coalesce(current_setting('messaging.event_floors', true), '');
begin
  if held = '*' or strpos(held, instance_id::text) > 0 then
    return;
  end if;
  perform
    pg_advisory_xact_lock_shared(
      uuid_hash(instance_id),
      (case when s.is_called then s.last_value else 0 end)::bit(32)::integer
    ),
    set_config('messaging.event_floors', held || instance_id::text, true)
  from messaging.event_sequence s;
end;
$$;
revoke all on function messaging.hold_event_floor(uuid) from public, anon, authenticated;
grant execute on function messaging.hold_event_floor(uuid) to service_role;
