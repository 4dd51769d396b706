-- When happened what a provider's event tells: its own word, but never later than now, which it is too
-- where the event does not say.
create or replace function messaging.event_instant(event jsonb)
returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  return least(
    coalesce((event->>'sentAt')::timestamptz, (event->>'at')::timestamptz, clock), clock
  );
end;
$$;
revoke all on function messaging.event_instant(jsonb) from public, anon, authenticated;
grant execute on function messaging.event_instant(jsonb) to service_role;
