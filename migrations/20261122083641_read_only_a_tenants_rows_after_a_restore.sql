set local check_function_bodies = off;

-- After a restore: the messages of the dump that may have left since, from the database that was dumped.
-- `state`: `waiting` (in the queue, due by `due_by`), `in_flight` (claimed when the dump was made),
-- `unconfirmed` (in doubt: by a claim that ended since, or sent again by itself where onUnconfirmed is
-- `retry`). `since`: the instant of the dump; what was accepted after it was accepted here. Messages that
-- an operator has settled (see settle_may_have_left) are not listed again.
-- `of_instance`: NULL for all instances. Instance by instance, so that other tenants' rows are not read.
create or replace function messaging.messages_that_may_have_left(
  since timestamptz,
  due_by timestamptz,
  of_instance uuid
)
returns table (
  message_id uuid,
  instance_id uuid,
  created_at timestamptz,
  due_at timestamptz,
  state text
)
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  clock constant timestamptz := clock_timestamp();
  wanted uuid[] := array[of_instance];
begin
  if of_instance is null then
    wanted := array(select i.id from messaging.instances i);
  end if;
  return query
  select q.message_id, q.instance_id, m.created_at, q.scheduled_at,
    case when q.claim_token is null then 'waiting' else 'in_flight' end
  from unnest(wanted) as i(id)
  cross join lateral messaging.queue_of_instance(i.id) as q
  -- OFFSET 0: a join might begin with the messages of all instances, here and below.
  cross join lateral (
    select a.created_at from messaging.messages a
    where a.id = q.message_id
    offset 0
  ) as m
  where (q.claim_token is not null or q.scheduled_at <= due_by) and m.created_at <= since
  union all
  select m.id, m.instance_id, m.created_at, m.unconfirmed_at, 'unconfirmed'
  from unnest(wanted) as w(id)
  join messaging.instances i on i.id = w.id
  cross join lateral (
    select u.* from messaging.messages u
    where u.instance_id = i.id and u.status = 'unconfirmed'
    offset 0
  ) as m
  where m.created_at <= since
    and (
      m.unconfirmed_at > since
      or i.on_unconfirmed = 'retry' and m.unconfirmed_at > clock - interval '1 day'
        and m.attempts < 6
    )
    and m.last_error->>'code' is distinct from 'may_have_left';
end;
$$;
revoke all
on function messaging.messages_that_may_have_left(timestamptz, timestamptz, uuid)
from public, anon, authenticated;
grant execute
on function messaging.messages_that_may_have_left(timestamptz, timestamptz, uuid)
to service_role;

-- After a restore: e-mails and agents' replies that were promised before the dump and may have gone out
-- since, from the database that was dumped (see messages_that_may_have_left).
-- Those of one instance are found through its workspace.
create or replace function messaging.outbox_that_may_have_left(since timestamptz, of_instance uuid)
returns table (outbox_id uuid, instance_id uuid, kind text)
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  if of_instance is null then
    return query
    select o.id, (o.payload->>'instanceId')::uuid, o.kind
    from messaging.outbox o
    where o.settled_at is null and o.created_at <= since;
  else
    return query
    select o.id, of_instance, o.kind
    from messaging.instances i
    -- OFFSET 0: with the date beside it, the index of all workspaces' rows by age looks cheaper.
    cross join lateral (
      select w.* from messaging.outbox w
      where w.workspace_id = i.workspace_id
      offset 0
    ) as o
    where i.id = of_instance and o.status = 'pending' and o.created_at <= since
      and o.payload->>'instanceId' = of_instance::text;
  end if;
end;
$$;
revoke all
on function messaging.outbox_that_may_have_left(timestamptz, uuid)
from public, anon, authenticated;
grant execute on function messaging.outbox_that_may_have_left(timestamptz, uuid) to service_role;

-- admin-api: after a restore, what may have left since the dump, from the database that was dumped.
-- `request`: since (the instant of the dump), until (when that database stopped sending, at most now;
-- NULL: now), instanceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next, since, until, total, acceptedSince, instances}: a page of messages, oldest first;
-- how many there are; how many in the queue were accepted after `since` and are therefore not listed; and
-- for each instance concerned the counts by state, with e-mails and agents' replies of the outbox.
-- Error: MI014.
create or replace function public.list_may_have_left(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  page constant record := messaging.begin_page(request);
  clock constant timestamptz := clock_timestamp();
  since constant timestamptz := (request->>'since')::timestamptz;
  due_by constant timestamptz := least(coalesce((request->>'until')::timestamptz, clock), clock);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  wanted uuid[] := array[of_instance];
  instances jsonb;
begin
  if of_instance is null then
    wanted := array(select i.id from messaging.instances i);
  end if;
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'instanceId', i.id, 'name', i.name, 'waiting', c.waiting, 'inFlight', c.in_flight,
      'unconfirmed', c.unconfirmed, 'emails', c.emails, 'agentReplies', c.agent_replies
    )
    order by i.created_at, i.id
  ), '[]') into instances
  from (
    select u.instance_id,
      count(*) filter (where u.kind = 'waiting') as waiting,
      count(*) filter (where u.kind = 'in_flight') as in_flight,
      count(*) filter (where u.kind = 'unconfirmed') as unconfirmed,
      count(*) filter (where u.kind = 'assignment_email') as emails,
      count(*) filter (where u.kind = 'agent_reply') as agent_replies
    from (
      select m.instance_id, m.state as kind
      from messaging.messages_that_may_have_left(since, due_by, of_instance) as m
      union all
      select o.instance_id, o.kind
      from messaging.outbox_that_may_have_left(since, of_instance) as o
    ) as u
    group by u.instance_id
  ) as c
  join messaging.instances i on i.id = c.instance_id;
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', l.created_at, 'id', l.message_id,
        'record', jsonb_build_object(
          'messageId', l.message_id,
          'instanceId', l.instance_id,
          'contactId', m.contact_id,
          'messageType', m.message_type,
          'state', l.state,
          'dueAt', messaging.iso_in_zone(l.due_at, 'UTC'),
          'createdAt', messaging.iso_in_zone(l.created_at, 'UTC')
        )
      )
      from messaging.messages_that_may_have_left(since, due_by, of_instance) as l
      cross join lateral (
        select p.contact_id, p.message_type from messaging.messages p
        where p.id = l.message_id
        offset 0
      ) as m
      where (l.created_at, l.message_id) > (page.after_at, page.after_id)
      order by l.created_at, l.message_id
      limit page.size + 1
    ),
    page.size
  ) || jsonb_build_object(
    'since', messaging.iso_in_zone(since, 'UTC'),
    'until', messaging.iso_in_zone(due_by, 'UTC'),
    'total', (
      select coalesce(sum(
        (i->>'waiting')::bigint + (i->>'inFlight')::bigint + (i->>'unconfirmed')::bigint
      ), 0)
      from jsonb_array_elements(instances) as i
    ),
    'acceptedSince', (
      select count(*)
      from unnest(wanted) as w(id)
      cross join lateral messaging.queue_of_instance(w.id) as q
      -- OFFSET 0: a join might begin with the messages of all tenants, of which few are so new.
      cross join lateral (
        select a.created_at from messaging.messages a
        where a.id = q.message_id
        offset 0
      ) as m
      where m.created_at > since
    ),
    'instances', instances
  );
end;
$$;
revoke all on function public.list_may_have_left(jsonb) from public, anon, authenticated;
grant execute on function public.list_may_have_left(jsonb) to service_role;
