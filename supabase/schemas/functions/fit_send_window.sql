-- Moves an instant into the instance's send window (decisions, section 5): inside it stays; before
-- the window on a business day it goes to that day's start, else to the next business day's start.
-- `held_by` says what moved it (see closed_by), NULL when nothing did. Errors: MI010.
create or replace function public.fit_send_window(
  instance public.instances,
  candidate timestamptz,
  out slot timestamptz,
  out held_by text
)
language plpgsql
stable
set search_path = ''
as $$
begin
  if public.is_send_window_open(instance, candidate) then
    slot := candidate;
    return;
  end if;
  held_by := public.closed_by(instance, candidate);
  slot := public.next_opening(instance, candidate);
  if slot is null then
    raise exception using errcode = 'MI010', message = 'send_window_never_opens';
  end if;
end;
$$;
revoke all on function public.fit_send_window(public.instances, timestamptz) from public, anon, authenticated;
grant execute on function public.fit_send_window(public.instances, timestamptz) to service_role;
