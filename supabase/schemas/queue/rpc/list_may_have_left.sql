-- admin-api: after a restore, what may have left since the dump, from the database that was dumped.
-- `request`: since (the instant of the dump), until (when that database stopped sending, at most now;
-- NULL: now), instanceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next, since, until, total, acceptedSince, instances}: a page of messages, oldest first;
-- how many there are; how many in the queue were accepted after `since` and are therefore not listed; and
-- for each instance concerned the counts by state, with e-mails and agents' replies of the outbox.
-- Error: MI014.
create or replace function public.list_may_have_left(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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
      count(*) filter (where u.kind in (
        'assignment_email', 'endpoint_disabled_email', 'instance_disconnected_email', 'instance_held_email',
        'batch_paused_email', 'budget_email'
      )) as emails,
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
