-- fold_usage: tells of the budgets of these instances what has come true (see tell_budget), and lets what they
-- hold leave where they are not reached any more, because something was not delivered after all. Tries pacing
-- without waiting: the caller holds lock_usage_notes, for which a holder of pacing may wait.
create or replace function messaging.follow_budgets(instance_ids uuid[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  instance messaging.instances;
begin
  for instance in
    select i.* from messaging.instances i
    where i.id = any (instance_ids) and i.budget is not null
    order by i.id
  loop
    perform messaging.tell_budget(instance, clock);
    perform from messaging.pacing p where p.instance_id = instance.id for no key update skip locked;
    if found and not (messaging.budget_state(instance, clock)).is_reached then
      perform messaging.release_budget_holds(instance.id, clock);
      perform messaging.refresh_dispatch(array[instance.id]);
    end if;
  end loop;
end;
$$;
