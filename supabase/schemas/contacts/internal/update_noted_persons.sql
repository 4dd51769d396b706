-- The dispatcher's part of person_updates: at most `max_persons` of those that are due. Returns whether there
-- may be more. One that another transaction holds a contact of is due again in a second.
create or replace function messaging.update_noted_persons(max_persons integer)
returns boolean
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  due messaging.person_updates;
  looked_at integer := 0;
begin
  for due in
    select u.* from messaging.person_updates u
    where u.next_at <= clock_timestamp()
    order by u.next_at, u.id
    limit max_persons
    for update skip locked
  loop
    looked_at := looked_at + 1;
    if messaging.tell_person(due.contact_id, true) then
      delete from messaging.person_updates u where u.id = due.id;
    else
      update messaging.person_updates u set next_at = clock_timestamp() + interval '1 second'
      where u.id = due.id;
    end if;
  end loop;
  return looked_at >= max_persons;
end;
$$;
