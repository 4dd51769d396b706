-- How list_conversations finds the conversations of a request. `instance`, `operator`, `department` and
-- `status`: by an index in the order of creation. `tag` and `awaiting`: all of them by an index of another
-- order, where they are at most `most`. `changes`: contact_activity in its order, with updatedSince.
-- Of several filters it takes one that at most `most` conversations pass.
-- `filters`: updatedSince, tagId, operatorId, departmentId, status, awaitingReply; NULL for any.
create or replace function messaging.conversation_list_path(
  instance_id uuid,
  filters jsonb,
  most integer
)
returns text
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  of_instance constant uuid := instance_id;
  of_tag constant uuid := (filters->>'tagId')::uuid;
  of_operator constant uuid := (filters->>'operatorId')::uuid;
  of_department constant uuid := (filters->>'departmentId')::uuid;
  of_status constant text := filters->>'status';
  is_awaiting constant boolean := coalesce((filters->>'awaitingReply')::boolean, false);
  ordered text[] := array_remove(array[
    case when of_operator is not null then 'operator' end,
    case when of_department is not null then 'department' end,
    case when of_status is not null then 'status' end
  ], null);
  candidate text;
  counted integer;
begin
  if filters->>'updatedSince' is not null then
    return 'changes';
  end if;
  foreach candidate in array
    case when of_tag is not null then array['tag'] else '{}' end
    || case when is_awaiting then array['awaiting'] else '{}' end
    || case when cardinality(ordered) > 1 or of_tag is not null or is_awaiting then ordered else '{}' end
  loop
    if candidate = 'tag' then
      select count(*) into counted from (
        select from messaging.contact_tags g where g.tag_id = of_tag limit most + 1
      ) as found;
    elsif candidate = 'awaiting' then
      select count(*) into counted from (
        select from messaging.contact_activity a
        where a.instance_id = of_instance and a.awaits_reply
        limit most + 1
      ) as found;
    elsif candidate = 'operator' then
      select count(*) into counted from (
        select from messaging.conversations v
        where v.instance_id = of_instance and v.assigned_to = of_operator
        limit most + 1
      ) as found;
    elsif candidate = 'department' then
      select count(*) into counted from (
        select from messaging.conversations v
        where v.instance_id = of_instance and v.department_id = of_department
        limit most + 1
      ) as found;
    else
      select count(*) into counted from (
        select from messaging.conversations v
        where v.instance_id = of_instance and v.status = of_status
          and v.created_at > '-infinity'
        limit most + 1
      ) as found;
    end if;
    if counted <= most then
      return candidate;
    end if;
  end loop;
  return coalesce(ordered[1], 'instance');
end;
$$;
