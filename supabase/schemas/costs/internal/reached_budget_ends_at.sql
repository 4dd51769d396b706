-- When what a reached budget stops may leave (see stopped_by_budget), in the send window of an instance's next
-- month; `-infinity` where the budget is not reached, or stops nothing.
create or replace function messaging.reached_budget_ends_at(
  instance messaging.instances, clock timestamptz
) returns timestamptz language plpgsql stable set search_path = '' as $$
declare
  state record;
begin
  if instance.budget is null or instance.budget->'stops' = '[]' then
    return '-infinity';
  end if;
  state := messaging.budget_state(instance, clock);
  return case
    when state.is_reached then messaging.after_hold(instance, state.month_ends_at, interval '0')
    else '-infinity'
  end;
end;
$$;
