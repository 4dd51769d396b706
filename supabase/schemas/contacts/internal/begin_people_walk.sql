-- change_people_scopes: what comes after the transactions under way have ended. Returns the change as it goes on.
create or replace function messaging.begin_people_walk(change messaging.people_scope_changes)
returns messaging.people_scope_changes
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
begin
  change.waits_for := null;
  if (select w.people_scope from messaging.workspaces w where w.id = change.workspace_id) = 'instance' then
    change.phase := 'forgetting';
    return change;
  end if;
  change.phase := 'collecting';
  select count(*) into change.total
  from messaging.instances i
  join messaging.contact_search s on s.instance_id = i.id
  where i.workspace_id = change.workspace_id;
  return change;
end;
$$;
