-- The number that was drawn last, as hold_event_floor locks it: its low 32 bits.
create or replace function messaging.event_floor()
returns integer
language sql
set search_path = ''
as $$
  select (case when s.is_called then s.last_value else 0 end)::bit(32)::integer
  from messaging.event_sequence s;
$$;
revoke all on function messaging.event_floor() from public, anon, authenticated;
grant execute on function messaging.event_floor() to service_role;
