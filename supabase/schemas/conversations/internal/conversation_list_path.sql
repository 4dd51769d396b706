-- How list_conversations finds the conversations of a request. `instance`, `operator`, `department` and
-- `status`: by an index in the order of creation. `tag` and `awaiting`: all of them by an index of another
-- order, where they are at most `most`. `contact`: the one of a contact. `changes`: contact_activity in its order, with updatedSince.
-- Of several filters it takes one that at most `most` conversations pass.
-- `filters`: updatedSince, contact, tag, operator, department (their ids), status, awaiting (true); NULL for any.
create or replace function messaging.conversation_list_path(
  instance_id uuid,
  filters jsonb,
  most integer
)
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  unordered constant text[] := array(
    select f.name from unnest(array['tag', 'awaiting']) with ordinality as f(name, place)
    where filters->>f.name is not null
    order by f.place
  );
  ordered constant text[] := array(
    select f.name from unnest(array['operator', 'department', 'status']) with ordinality as f(name, place)
    where filters->>f.name is not null
    order by f.place
  );
  candidate text;
begin
  if filters->>'updatedSince' is not null then
    return 'changes';
  elsif filters->>'contact' is not null then
    return 'contact';
  end if;
  -- One filter in the order of creation needs no count.
  if unordered <> '{}' or cardinality(ordered) > 1 then
    foreach candidate in array unordered || ordered loop
      if messaging.is_few(instance_id, candidate, filters->>candidate, most) then
        return candidate;
      end if;
    end loop;
  end if;
  return coalesce(ordered[1], 'instance');
end;
$$;
