-- Moves an instant into the instance's send window (decisions, section 5); `typing` after it must fit
-- too. An instant inside stays. One before the window of a business day moves to that day's start, any
-- other to the start of the next business day. `held_by` says what moved it (see
-- window_closed_reason), or NULL. Errors: MI010, also where the window is shorter than the typing.
create or replace function messaging.fit_send_window(
  instance messaging.instances, candidate timestamptz, typing interval, out slot timestamptz,
  out held_by text
) language plpgsql stable set search_path = '' as $$
declare
  closed_at constant timestamptz := case
    when messaging.is_send_window_open(instance, candidate) then candidate + typing
    else candidate
  end;
begin
  if messaging.is_send_window_open(instance, closed_at) then
    slot := candidate;
    return;
  end if;
  held_by := messaging.window_closed_reason(instance, closed_at);
  slot := messaging.next_window_start(instance, closed_at);
  if slot is null or not messaging.is_send_window_open(instance, slot + typing) then
    raise exception using errcode = 'MI010', message = 'send_window_never_opens';
  end if;
end;
$$;
