set local check_function_bodies = off;

-- Applies the stored delivery events of these messages, whose provider ids have just become known.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.apply_unmatched_statuses(message_ids uuid[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  early record;
begin
  for early in
    with taken as (
      delete from messaging.unmatched_statuses e
      using messaging.messages m
      where m.id = any (message_ids)
        and e.instance_id = any (array[m.instance_id])
        and e.provider_message_id = any (array[m.provider_message_id])
      returning m.id as message_id, e.provider_message_id, e.status, e.occurred_at, e.error
    )
    select t.* from taken t
    order by array_position(array['sent', 'delivered', 'read', 'failed'], t.status)
  loop
    perform messaging.advance_message(
      early.message_id, early.provider_message_id, early.status, early.occurred_at, early.error
    );
  end loop;
end;
$$;
revoke all on function messaging.apply_unmatched_statuses(uuid[]) from public, anon, authenticated;
grant execute on function messaging.apply_unmatched_statuses(uuid[]) to service_role;

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
revoke all
on function messaging.conversation_list_path(uuid, jsonb, integer)
from public, anon, authenticated;
grant execute on function messaging.conversation_list_path(uuid, jsonb, integer) to service_role;

-- conversations-api: conversations of an instance, a page at a time, in the order of creation; with
-- updatedSince (inclusive) in the order of (updated_at, contact), with the tombstones of contacts that are
-- merged or erased, and without what a transaction under way may still precede (see change_horizon).
-- `request`: instanceId, limit, `after` as returned in `next`, and filters, each NULL for any: status,
-- assignedTo (an operator's UUID or e-mail), departmentId, tag, awaitingReply, updatedSince.
-- Returns {items, next}: see describe_conversation. Errors: MI001, MI002, MI014.
-- A page reads at most `most_read` conversations: where few of many match, it has fewer items than `limit`,
-- or none, and `next` all the same. It reads them in growing steps, by the way that
-- conversation_list_path chooses. Plans must not depend on statistics: hence the settings below, and
-- "= any (array[...])", of which no plan makes a hash of all rows.
create or replace function public.list_conversations(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  most_read constant integer := 5000;
  page constant record := messaging.begin_page(request);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  of_status constant text := request->>'status';
  of_department constant uuid := (request->>'departmentId')::uuid;
  is_awaiting constant boolean := (request->>'awaitingReply')::boolean;
  since constant timestamptz := coalesce((request->>'updatedSince')::timestamptz, '-infinity');
  horizon constant timestamptz := case
    when request->>'updatedSince' is not null then messaging.change_horizon(of_instance)
  end;
  instance messaging.instances;
  of_operator uuid;
  of_tag uuid;
  path text;
  last_at timestamptz := page.after_at;
  last_id uuid := page.after_id;
  step integer := page.size + 1;
  step_read integer;
  all_read integer := 0;
  last_read jsonb;
  found_now jsonb[];
  found_all jsonb[] := '{}';
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
      return messaging.build_page(found_all, page.size);
    end if;
  end if;
  path := messaging.conversation_list_path(
    of_instance, request || jsonb_build_object('operatorId', of_operator, 'tagId', of_tag), most_read
  );
  if path in ('tag', 'awaiting') then
    step := most_read;
  end if;
  loop
    with scanned as materialized (
      (
        select v.created_at as at, v.id, v, false as is_deleted, null::uuid as merged_into
        from messaging.conversations v
        where path = 'instance' and v.instance_id = of_instance
          and v.created_at > '-infinity'
          and (v.created_at, v.id) > (last_at, last_id)
        order by v.created_at, v.id
        limit step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'operator' and v.instance_id = of_instance and v.assigned_to = of_operator
          and (v.created_at, v.id) > (last_at, last_id)
        order by v.created_at, v.id
        limit step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'department' and v.instance_id = of_instance
          and v.department_id = of_department
          and (v.created_at, v.id) > (last_at, last_id)
        order by v.created_at, v.id
        limit step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'status' and v.instance_id = of_instance and v.status = of_status
          and v.created_at > '-infinity'
          and (v.created_at, v.id) > (last_at, last_id)
        order by v.created_at, v.id
        limit step
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
        where (v.created_at, v.id) > (last_at, last_id)
        order by v.created_at, v.id
        limit step
      )
      union all
      (
        select changed.at, changed.contact_id, v, changed.is_deleted, changed.merged_into
        from (
          select a.updated_at as at, a.contact_id, a.merged_into,
            a.merged_into is not null or a.erased_at is not null as is_deleted
          from messaging.contact_activity a
          where path = 'changes' and a.instance_id = of_instance
            and (a.updated_at, a.contact_id) > (last_at, last_id)
            and a.updated_at >= since and a.updated_at < horizon
          order by a.updated_at, a.contact_id
          limit step
        ) as changed
        left join messaging.conversations v on v.contact_id = any (array[changed.contact_id])
      )
    ),
    matching as (
      select s.at, s.id, s.v, s.is_deleted, s.merged_into
      from scanned s
      where s.is_deleted
        or (s.v).id is not null
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
      order by s.at, s.id
      limit page.size + 1 - cardinality(found_all)
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
        order by f.at, f.id
      ),
      (select count(*) from scanned),
      (
        select jsonb_build_object('createdAt', s.at, 'id', s.id)
        from scanned s
        order by s.at desc, s.id desc
        limit 1
      )
    into found_now, step_read, last_read;
    found_all := found_all || found_now;
    exit when cardinality(found_all) > page.size or step_read < step;
    all_read := all_read + step_read;
    if all_read >= most_read then
      return messaging.build_page(found_all, page.size) || jsonb_build_object('next', last_read);
    end if;
    last_at := (last_read->>'createdAt')::timestamptz;
    last_id := (last_read->>'id')::uuid;
    step := least(step * 4, most_read - all_read);
  end loop;
  return messaging.build_page(found_all, page.size);
end;
$$;
revoke all on function public.list_conversations(jsonb) from public, anon, authenticated;
grant execute on function public.list_conversations(jsonb) to service_role;

-- messages-api: messages of an instance, sent and received, in the order in which they were stored, a page
-- at a time. `request`: instanceId, limit, `after` as returned in `next`, and filters, each NULL for any:
-- contactId, cardId, batchId, status (as describe_message tells it), direction, since and until (both
-- included, in the milliseconds that answers show). Returns {items, next}.
-- A page reads at most `most_read` messages: where few of many match, it has fewer items than `limit`, or
-- none, and `next` all the same. It reads them in growing steps, by the way that message_list_path chooses.
-- Errors: MI014, MI031.
-- Plans must not depend on statistics: hence the settings below.
create or replace function public.list_messages(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  most_read constant integer := 5000;
  page constant record := messaging.begin_page(request);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  of_contact constant uuid := (
    messaging.find_contact_by_id(of_instance, (request->>'contactId')::uuid)
  ).id;
  of_card constant text := request->>'cardId';
  of_direction constant text := request->>'direction';
  of_status constant text := request->>'status';
  -- A queued message that is claimed is `sending`.
  stored_status constant text := case of_status when 'sending' then 'queued' else of_status end;
  before constant timestamptz := coalesce(
    (request->>'until')::timestamptz + interval '1 millisecond', 'infinity'
  );
  since constant timestamptz := (request->>'since')::timestamptz;
  zone constant text := (select i.time_zone from messaging.instances i where i.id = of_instance);
  path text;
  last_at timestamptz := page.after_at;
  last_id uuid := page.after_id;
  step integer := page.size + 1;
  step_read integer;
  all_read integer := 0;
  last_read jsonb;
  found_now jsonb[];
  found_all jsonb[] := '{}';
begin
  if request->>'contactId' is not null and of_contact is null then
    raise exception using errcode = 'MI031', message = 'contact_not_found';
  end if;
  path := messaging.message_list_path(request, of_contact, most_read);
  if path in ('contact', 'queue') then
    step := most_read;
  end if;
  if since > last_at then
    last_at := since;
    last_id := '00000000-0000-0000-0000-000000000000';
  end if;
  loop
    with scanned as materialized (
      (
        select m from messaging.messages m
        where path = 'instance' and m.instance_id = of_instance
          and m.created_at > '-infinity'
          and (m.created_at, m.id) > (last_at, last_id) and m.created_at < before
        order by m.created_at, m.id
        limit step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'card' and m.instance_id = of_instance and m.card_id = of_card
          and (m.created_at, m.id) > (last_at, last_id) and m.created_at < before
        order by m.created_at, m.id
        limit step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'stopped' and m.instance_id = of_instance and m.status = stored_status
          and m.status in ('failed', 'canceled', 'unconfirmed', 'expired')
          and (m.created_at, m.id) > (last_at, last_id) and m.created_at < before
        order by m.created_at, m.id
        limit step
      )
      union all
      (
        select few.m
        from (
          select m from messaging.messages m
          where path = 'contact' and m.contact_id = of_contact
          union all
          select m
          from messaging.queue_of_instance(of_instance) as q
          join messaging.messages m on m.id = q.message_id
          where path = 'queue'
        ) as few
        where ((few.m).created_at, (few.m).id) > (last_at, last_id) and (few.m).created_at < before
        order by (few.m).created_at, (few.m).id
        limit step
      )
    ),
    matching as (
      select s.m
      from scanned s
      where (of_contact is null or (s.m).contact_id = of_contact)
        and (of_card is null or (s.m).card_id = of_card)
        and (of_direction is null or (s.m).direction = of_direction)
        and (of_status is null or (s.m).status in (of_status, stored_status))
        and (
          coalesce(of_status, '') not in ('queued', 'sending')
          or (of_status = 'sending') = ((s.m).status = 'sending' or exists (
            select from messaging.message_queue q
            where q.message_id = (s.m).id and q.claim_token is not null
          ))
        )
      order by (s.m).created_at, (s.m).id
      limit page.size + 1 - cardinality(found_all)
    )
    select
      array(
        select jsonb_build_object(
          'createdAt', (f.m).created_at, 'id', (f.m).id,
          'record', case
            when (f.m).status = 'queued' then messaging.describe_message(f.m)
            else messaging.message_record(f.m, zone, false)
          end
        )
        from matching f
        order by (f.m).created_at, (f.m).id
      ),
      (select count(*) from scanned),
      (
        select jsonb_build_object('createdAt', (s.m).created_at, 'id', (s.m).id)
        from scanned s
        order by (s.m).created_at desc, (s.m).id desc
        limit 1
      )
    into found_now, step_read, last_read;
    found_all := found_all || found_now;
    exit when cardinality(found_all) > page.size or step_read < step;
    all_read := all_read + step_read;
    if all_read >= most_read then
      return messaging.build_page(found_all, page.size) || jsonb_build_object('next', last_read);
    end if;
    last_at := (last_read->>'createdAt')::timestamptz;
    last_id := (last_read->>'id')::uuid;
    step := least(step * 4, most_read - all_read);
  end loop;
  return messaging.build_page(found_all, page.size);
end;
$$;
revoke all on function public.list_messages(jsonb) from public, anon, authenticated;
grant execute on function public.list_messages(jsonb) to service_role;
drop index messaging.messages_stored;
create index messages_stored on messaging.messages (instance_id, created_at)
where created_at > '-infinity';
drop index messaging.conversations_listed;
create index conversations_listed on messaging.conversations (instance_id, created_at, id)
where created_at > '-infinity';
drop index messaging.conversations_listed_by_status;
create index conversations_listed_by_status on messaging.conversations (
  instance_id,
  status,
  created_at,
  id
)
where created_at > '-infinity';
