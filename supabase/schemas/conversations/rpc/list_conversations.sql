-- conversations-api: conversations of an instance, a page at a time, in the order of creation, or from the
-- newest; with updatedSince (inclusive) in the order of (updated_at, contact), with the tombstones of contacts
-- that are merged or erased, and without what a transaction under way may still precede (see change_horizon).
-- `request`: instanceId, limit, order (`desc`: from the newest; not beside updatedSince), `after` as returned
-- in `next`, and filters, each NULL for any: phone, contactId or userId (one of them), status, assignedTo (an
-- operator's UUID or e-mail), departmentId, tag, awaitingReply, referral (whether an ad or post brought the
-- contact), updatedSince. An unknown phone or userId has no conversations, and no tombstones.
-- Returns {items, next}: see describe_conversation. Errors: MI001, MI002, MI014; MI031 and MI035 see
-- find_recipient; MI055 see refuse_merged.
-- A page reads at most `most_read` conversations: where few of many match, it has fewer items than `limit`,
-- or none, and `next` all the same. It reads them in growing steps, by the way that
-- conversation_list_path chooses. Plans must not depend on statistics: hence the settings below, and
-- "= any (array[...])", of which no plan makes a hash of all rows.
-- Over 80 lines: one statement, in which each index and each order has a branch of its own; those of the other
-- paths read nothing.
create or replace function public.list_conversations(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  most_read constant integer := 5000;
  reading messaging.list_reading := messaging.begin_reading(request);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  of_status constant text := request->>'status';
  of_department constant uuid := (request->>'departmentId')::uuid;
  is_referred constant boolean := (request->>'referral')::boolean;
  is_backward constant boolean := coalesce(request->>'order' = 'desc', false);
  is_awaiting constant boolean := (request->>'awaitingReply')::boolean;
  since constant timestamptz := coalesce((request->>'updatedSince')::timestamptz, '-infinity');
  horizon constant timestamptz := case
    when request->>'updatedSince' is not null then messaging.change_horizon(of_instance)
  end;
  names_contact constant boolean :=
    coalesce(request->>'phone', request->>'contactId', request->>'userId') is not null;
  of_contact constant uuid := case
    when names_contact then (messaging.find_recipient(of_instance, request)).id
  end;
  instance messaging.instances;
  of_operator uuid;
  of_tag uuid;
  path text;
  step_read bigint;
  last_read jsonb;
  found_now jsonb[];
begin
  select i.* into strict instance from messaging.instances i where i.id = of_instance;
  if request->>'assignedTo' is not null then
    of_operator := (messaging.find_operator(instance.workspace_id, request->>'assignedTo')).id;
  end if;
  if of_department is not null and not exists (
    select from messaging.departments d
    where d.id = of_department and d.workspace_id = instance.workspace_id
  ) then
    raise exception using errcode = 'MI002', message = 'department_not_found';
  end if;
  if request->>'tag' is not null then
    select t.id into of_tag from messaging.tags t
    where t.instance_id = of_instance and lower(t.name) = lower(request->>'tag');
    if not found and request->>'updatedSince' is null then
      return messaging.build_read_page(reading);
    end if;
  end if;
  if names_contact and of_contact is null then
    return messaging.build_read_page(reading);
  end if;
  path := messaging.conversation_list_path(
    of_instance,
    jsonb_build_object(
      'updatedSince', request->'updatedSince', 'contact', of_contact, 'tag', of_tag, 'operator', of_operator,
      'department', of_department, 'status', of_status, 'awaiting', nullif(is_awaiting, false)
    ),
    most_read
  );
  if path in ('tag', 'awaiting') then
    reading.step := most_read;
  end if;
  loop
    with scanned as materialized (
      (
        select v.created_at as at, v.id, v, false as is_deleted, null::uuid as merged_into
        from messaging.conversations v
        where path = 'instance' and not is_backward and v.instance_id = of_instance
          and v.created_at > '-infinity'
          and (v.created_at, v.id) > (reading.after_at, reading.after_id)
        order by v.created_at, v.id
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'contact' and v.contact_id = of_contact
          and case
            when is_backward then (v.created_at, v.id) < (reading.after_at, reading.after_id)
            else (v.created_at, v.id) > (reading.after_at, reading.after_id)
          end
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'operator' and not is_backward and v.instance_id = of_instance
          and v.assigned_to = of_operator
          and (v.created_at, v.id) > (reading.after_at, reading.after_id)
        order by v.created_at, v.id
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'department' and not is_backward and v.instance_id = of_instance
          and v.department_id = of_department
          and (v.created_at, v.id) > (reading.after_at, reading.after_id)
        order by v.created_at, v.id
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'status' and not is_backward and v.instance_id = of_instance and v.status = of_status
          and v.created_at > '-infinity'
          and (v.created_at, v.id) > (reading.after_at, reading.after_id)
        order by v.created_at, v.id
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from (
          select g.contact_id from messaging.contact_tags g
          where path = 'tag' and g.tag_id = of_tag
          union all
          select a.contact_id from messaging.contact_activity a
          where path = 'awaiting' and a.instance_id = of_instance and a.awaits_reply
        ) as few
        join messaging.conversations v on v.contact_id = any (array[few.contact_id])
        where not is_backward and (v.created_at, v.id) > (reading.after_at, reading.after_id)
        order by v.created_at, v.id
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'instance' and is_backward and v.instance_id = of_instance
          and v.created_at > '-infinity'
          and (v.created_at, v.id) < (reading.after_at, reading.after_id)
        order by v.created_at desc, v.id desc
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'operator' and is_backward and v.instance_id = of_instance
          and v.assigned_to = of_operator
          and (v.created_at, v.id) < (reading.after_at, reading.after_id)
        order by v.created_at desc, v.id desc
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'department' and is_backward and v.instance_id = of_instance
          and v.department_id = of_department
          and (v.created_at, v.id) < (reading.after_at, reading.after_id)
        order by v.created_at desc, v.id desc
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'status' and is_backward and v.instance_id = of_instance and v.status = of_status
          and v.created_at > '-infinity'
          and (v.created_at, v.id) < (reading.after_at, reading.after_id)
        order by v.created_at desc, v.id desc
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from (
          select g.contact_id from messaging.contact_tags g
          where path = 'tag' and g.tag_id = of_tag
          union all
          select a.contact_id from messaging.contact_activity a
          where path = 'awaiting' and a.instance_id = of_instance and a.awaits_reply
        ) as few
        join messaging.conversations v on v.contact_id = any (array[few.contact_id])
        where is_backward and (v.created_at, v.id) < (reading.after_at, reading.after_id)
        order by v.created_at desc, v.id desc
        limit reading.step
      )
      union all
      (
        select changed.at, changed.contact_id, v, changed.is_deleted, changed.merged_into
        from (
          select a.updated_at as at, a.contact_id, a.merged_into,
            a.merged_into is not null or a.erased_at is not null as is_deleted
          from messaging.contact_activity a
          where path = 'changes' and a.instance_id = of_instance
            and (a.updated_at, a.contact_id) > (reading.after_at, reading.after_id)
            and a.updated_at >= since and a.updated_at < horizon
          order by a.updated_at, a.contact_id
          limit reading.step
        ) as changed
        left join messaging.conversations v on v.contact_id = any (array[changed.contact_id])
      )
    ),
    matching as (
      select s.at, s.id, s.v, s.is_deleted, s.merged_into
      from scanned s
      where s.is_deleted and (of_contact is null or s.id = of_contact)
        or (s.v).id is not null
        and not s.is_deleted
        and not (s.v).is_merged
        and (of_contact is null or (s.v).contact_id = of_contact)
        and (of_status is null or (s.v).status = of_status)
        and (of_operator is null or (s.v).assigned_to = of_operator)
        and (of_department is null or (s.v).department_id = of_department)
        and (
          request->>'tag' is null
          or exists (
            select from messaging.contact_tags g
            where g.contact_id = any (array[(s.v).contact_id]) and g.tag_id = of_tag
          )
        )
        and (
          is_awaiting is null
          or is_awaiting = exists (
            select from messaging.contact_activity a
            where a.contact_id = any (array[(s.v).contact_id]) and a.awaits_reply
          )
        )
        and (
          is_referred is null
          or is_referred = exists (select from messaging.newest_referral((s.v).contact_id))
        )
      order by
        case when not is_backward then s.at end, case when not is_backward then s.id end,
        s.at desc, s.id desc
      limit reading.page_size + 1 - cardinality(reading.records)
    )
    select
      array(
        select jsonb_build_object(
          'createdAt', f.at, 'id', f.id,
          'record', case
            when f.is_deleted then jsonb_build_object(
              'contactId', f.id,
              'isDeleted', true,
              'mergedInto', f.merged_into,
              'updatedAt', messaging.iso_in_zone(f.at, instance.time_zone)
            )
            else messaging.describe_conversation(f.v, instance.time_zone)
          end
        )
        from matching f
        order by
          case when not is_backward then f.at end, case when not is_backward then f.id end,
          f.at desc, f.id desc
      ),
      (select count(*) from scanned),
      (
        select jsonb_build_object('createdAt', s.at, 'id', s.id)
        from scanned s
        order by
          case when is_backward then s.at end, case when is_backward then s.id end,
          s.at desc, s.id desc
        limit 1
      )
    into found_now, step_read, last_read;
    reading := messaging.go_on_reading(reading, found_now, step_read, last_read, most_read);
    exit when reading.is_over;
  end loop;
  perform messaging.refuse_merged(of_contact);
  return messaging.build_read_page(reading);
end;
$$;

-- How list_conversations finds the conversations of a request. `instance`, `operator`, `department` and
-- `status`: by an index in the order of creation. `tag` and `awaiting`: all of them by an index of another
-- order, where they are at most `most`. `contact`: the one of a contact. `changes`: contact_activity in its
-- order, with updatedSince. Of several filters it takes one that at most `most` conversations pass.
-- `filters`: updatedSince, contact, tag, operator, department (their ids), status, awaiting (true); NULL for any.
create or replace function messaging.conversation_list_path(
  instance_id uuid, filters jsonb, most integer
) returns text language plpgsql stable set search_path = '' as $$
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
