-- change_people_scopes: deletes at most `max_words` words of a workspace whose instances stand for themselves
-- again, once its contacts have been told. Returns the change as it goes on; its phase is NULL at the end.
create or replace function messaging.forget_words(
  change messaging.people_scope_changes,
  max_words integer
)
returns messaging.people_scope_changes
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  gone integer;
begin
  if exists (
    select from messaging.person_updates u where u.workspace_id = change.workspace_id
  ) then
    return change;
  end if;
  delete from messaging.person_words w
  where w.id = any (array(
    select old.id from messaging.person_words old
    where old.workspace_id = change.workspace_id
    limit max_words
    for update skip locked
  ));
  get diagnostics gone = row_count;
  change.done := change.done + gone;
  if gone = 0 then
    change.phase := null;
  end if;
  return change;
end;
$$;
