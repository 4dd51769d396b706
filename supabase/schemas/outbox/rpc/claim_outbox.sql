-- Claims outbox rows that are due; settling a row requires its claim. A row of a worker that died is due
-- again when its lease ends, and `dead` after its last attempt: work that kills its worker must not
-- come back for ever.
-- A row of an instance that an operator holds is due when the hold ends, unless it is about files: those
-- are fetched and deleted all the same, because providers do not keep them, or tells of the hold itself. Its
-- dispatch row is locked for that, without waiting: see postpone_held_messages.
-- Instances take turns: one row of each before a second one of any, so that what waits of one delays no
-- other's. `request`: kinds, maxRows, leaseSeconds, crowdingInstances: the ids of instances that have as many
-- calls under way as one may have: their rows wait; NULL for none.
-- Returns {rows: [{outboxId, claimToken, kind, payload, lastError}]}.
-- Joins by `= any (array[...])` and the settings below: see claim_due_messages. In plpgsql, which keeps its
-- plan: making it anew for each call took most of the call's time.
-- Over 80 lines: one statement, so that what is claimed, postponed and given up is decided on the same locked
-- rows.
create or replace function public.claim_outbox(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off set jit = off as $$
declare
  claimed_rows jsonb;
  unanswered uuid[];
begin
  -- The clock is a value: a volatile function would make the plan read the index to its end.
  with recursive waiting as (
    -- The instances with work of a kind. Each step reads one entry of the index.
    select wanted.kind, (
      select messaging.outbox_owner(o.payload)
      from messaging.outbox o
      where o.kind = wanted.kind and o.settled_at is null
      order by messaging.outbox_owner(o.payload)
      limit 1
    ) as owner
    from jsonb_array_elements_text(request->'kinds') as wanted(kind)
    union all
    select w.kind, (
      select messaging.outbox_owner(o.payload)
      from messaging.outbox o
      where o.kind = w.kind and o.settled_at is null
        and messaging.outbox_owner(o.payload) > w.owner
      order by messaging.outbox_owner(o.payload)
      limit 1
    )
    from waiting w
    where w.owner is not null
  ),
  -- Twice as many as wanted, for some of them may be another worker's at this moment.
  turns as (
    select o.id, o.turn, o.run_at
    from waiting w
    cross join lateral (
      select r.id, r.run_at, row_number() over (order by r.run_at) as turn
      from messaging.outbox r
      where r.kind = w.kind and messaging.outbox_owner(r.payload) = w.owner
        and r.settled_at is null and r.run_at <= (select clock_timestamp())
      order by r.run_at
      limit 2 * (request->>'maxRows')::integer
    ) as o
    where not coalesce(request->'crowdingInstances' ? w.owner, false)
    order by o.turn, o.run_at
    limit 2 * (request->>'maxRows')::integer
  ),
  due as (
    select o.id, o.kind, (o.payload->>'instanceId')::uuid as instance_id,
      o.claim_token is not null and o.attempts >= messaging.outbox_attempts(o.kind) as is_over
    from turns
    join messaging.outbox o on o.id = any (array[turns.id])
    -- Asked again under the lock.
    where o.settled_at is null and o.run_at <= (select clock_timestamp())
    order by turns.turn, turns.run_at
    limit (request->>'maxRows')::integer
    for no key update of o skip locked
  ),
  checked as (
    select due.id, due.instance_id, due.is_over, due.kind not like 'media_%'
      and due.kind <> 'instance_held_email' and exists (
      select from messaging.dispatch_of(due.instance_id) as d
      where d.operator_hold_until > (select clock_timestamp())
    ) as is_held
    from due
  ),
  postponed as (
    update messaging.outbox o
    set run_at = held.operator_hold_until
    from checked
    join (
      select d.instance_id, d.operator_hold_until
      from messaging.dispatch d
      where d.operator_hold_until > (select clock_timestamp())
        and d.instance_id in (select c.instance_id from checked c where c.is_held)
      order by d.instance_id
      for share skip locked
    ) as held on held.instance_id = checked.instance_id
    where o.id = any (array[checked.id]) and checked.is_held
  ),
  given_up as (
    update messaging.outbox o
    set status = 'dead', claim_token = null, last_error = 'worker_lost',
      settled_at = clock_timestamp()
    from checked
    where o.id = any (array[checked.id]) and checked.is_over and not checked.is_held
    returning o.kind, o.payload, o.conversation_id
  ),
  -- A file that kills its worker each time.
  lost_files as (
    update messaging.media m
    set status = 'failed',
      last_error = '{"code": "worker_lost", "message": "The file could not be fetched."}'
    from given_up
    where m.id = any (array[(given_up.payload->>'mediaId')::uuid])
      and given_up.kind = 'media_fetch' and m.status = 'pending'
    returning m.instance_id, m.storage_path
  ),
  -- And what its workers have left of it.
  deletions as (
    insert into messaging.outbox (workspace_id, kind, payload)
    select i.workspace_id, 'media_delete',
      jsonb_build_object('instanceId', i.id, 'paths', jsonb_build_array(l.storage_path))
    from lost_files l
    join messaging.instances i on i.id = l.instance_id
  ),
  claimed as (
    update messaging.outbox o
    set claim_token = gen_random_uuid(),
      attempts = o.attempts + 1,
      run_at = clock_timestamp()
        + make_interval(secs => (request->>'leaseSeconds')::double precision)
    from checked
    where o.id = any (array[checked.id]) and not checked.is_over and not checked.is_held
    returning o.id, o.claim_token, o.kind, o.payload, o.last_error
  )
  select jsonb_build_object('rows', coalesce(
    jsonb_agg(jsonb_build_object(
      'outboxId', c.id,
      'claimToken', c.claim_token,
      'kind', c.kind,
      'payload', c.payload,
      'lastError', c.last_error
    )),
    '[]'
  )), (
    select array_agg(g.conversation_id) from given_up g where g.kind = 'agent_reply'
  )
  into claimed_rows, unanswered
  from claimed c;
  if unanswered is not null then
    perform messaging.record_needed_persons(unanswered, 'worker_lost');
  end if;
  return claimed_rows;
end;
$$;
