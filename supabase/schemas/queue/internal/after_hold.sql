-- When what a budget or a lock has held may leave, from the instant of its end on: in the instance's send
-- window, so that nothing leaves at midnight because a month has ended. The instant itself where the window
-- never opens.
create or replace function messaging.after_hold(
  instance messaging.instances, candidate timestamptz, typing interval
) returns timestamptz language plpgsql stable set search_path = '' as $$
begin
  return (messaging.fit_send_window(instance, candidate, typing)).slot;
exception when sqlstate 'MI010' then
  return candidate;
end;
$$;
