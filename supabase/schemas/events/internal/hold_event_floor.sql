-- Must be called before the transaction draws its first event number for the instance, in a statement
-- of its own: see the head of tables/events.sql. Later calls in the transaction do nothing: the first
-- floor is the lowest. Which instances have one is kept in a setting that, like the lock, ends with the
-- transaction, or with the part of it that is rolled back; `*` is one for all instances.
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
    messaging.lock_event_floor(instance_id),
    set_config('messaging.event_floors', held || instance_id::text, true);
end;
$$;
