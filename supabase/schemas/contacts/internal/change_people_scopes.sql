-- One step of a change of a workspace's peopleScope. What is said from the change on follows it at once: each
-- instance's row says the scope. This brings what was said before.
-- To `workspace`: the transactions under way end (`waiting`); what each contact has said last becomes a word of
-- its person (`collecting`, `max_contacts` contacts a step); the newest word of each person is brought to its
-- contacts (`telling`, `max_persons`). To `instance`: every contact keeps what it was told, and the words go
-- (`forgetting`). A step is one transaction, and where it stands is stored with it: one that is cut off is
-- taken again.
-- Returns whether a step was taken. A change that another dispatcher has in hand is passed over.
create or replace function messaging.change_people_scopes(max_persons integer, max_contacts integer)
returns boolean
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  change messaging.people_scope_changes;
begin
  select c.* into change from messaging.people_scope_changes c
  where c.phase <> 'waiting' or c.waits_for is null or not exists (
    select from pg_catalog.pg_locks l where l.virtualtransaction = any (c.waits_for)
  )
  order by c.started_at
  limit 1
  for no key update skip locked;
  if not found then
    return false;
  end if;
  if change.phase = 'waiting' and change.waits_for is null then
    change.waits_for := array(
      select distinct l.virtualtransaction
      from pg_catalog.pg_locks l
      where l.locktype = 'advisory' and l.objsubid = 2 and l.pid <> pg_backend_pid()
        and l.classid = any (0::oid || array(
          select (uuid_hash(i.id)::bigint & 4294967295)::oid
          from messaging.instances i where i.workspace_id = change.workspace_id
        ))
        and l.database = (
          select d.oid from pg_catalog.pg_database d where d.datname = current_database()
        )
    );
  elsif change.phase = 'waiting' then
    change := messaging.begin_people_walk(change);
  elsif change.phase = 'forgetting' then
    change := messaging.forget_words(change, max_contacts);
  else
    change := messaging.walk_people(
      change, case when change.phase = 'telling' then max_persons else max_contacts end
    );
  end if;
  if change.phase is null then
    delete from messaging.people_scope_changes c where c.workspace_id = change.workspace_id;
  else
    update messaging.people_scope_changes c
    set phase = change.phase, waits_for = change.waits_for, instance_id = change.instance_id,
      after_at = change.after_at, after_id = change.after_id, done = change.done, total = change.total
    where c.workspace_id = change.workspace_id;
  end if;
  return true;
end;
$$;
