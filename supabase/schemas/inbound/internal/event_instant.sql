-- The instant of a provider's event: the one the event names, at most now; now where it names none.
create or replace function messaging.event_instant(event jsonb)
returns timestamptz language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  return least(
    coalesce((event->>'sentAt')::timestamptz, (event->>'at')::timestamptz, clock), clock
  );
end;
$$;
