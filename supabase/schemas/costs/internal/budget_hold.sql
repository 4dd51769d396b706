-- Until when a message that is accepted now waits because its instance's budget is reached; NULL where it need not.
-- See stopped_by_budget.
create or replace function messaging.budget_hold(
  instance messaging.instances, purpose text, clock timestamptz
) returns timestamptz language plpgsql stable set search_path = '' as $$
begin
  if not messaging.stopped_by_budget(instance.budget, purpose, null) then
    return null;
  end if;
  return nullif(messaging.reached_budget_ends_at(instance, clock), '-infinity');
end;
$$;
