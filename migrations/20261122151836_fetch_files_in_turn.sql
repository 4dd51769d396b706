set local check_function_bodies = off;

-- Where a file lies in the storage. It names nobody, and a file that is stored again replaces itself.
-- In plpgsql, which keeps its plan.
create or replace function messaging.media_path(instance_id uuid, media_id uuid)
returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return instance_id || '/' || media_id;
end;
$$;
revoke all on function messaging.media_path(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.media_path(uuid, uuid) to service_role;

-- When the next message is due: how long the dispatcher may sleep. NULL for never.
-- In plpgsql, which keeps its plans: an idle dispatcher calls this five times a second.
create or replace function messaging.next_wake_up()
returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
begin
  return nullif(least(
    (
      select d.next_due_at from messaging.dispatch d
      where d.in_flight is null order by d.next_due_at limit 1
    ),
    (
      select q.visible_at from messaging.message_queue q
      where q.visible_at is not null order by q.visible_at limit 1
    )
  ), 'infinity');
end;
$$;
revoke all on function messaging.next_wake_up() from public, anon, authenticated;
grant execute on function messaging.next_wake_up() to service_role;

-- Records how the fetching of a file ended: what settle_media_fetch does but for the next file.
-- Locks the file, then the outbox row.
create or replace function messaging.record_media_fetch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  outcome constant text := request->>'outcome';
  file messaging.media;
  row_status text;
  file_status text;
begin
  select m.* into file from messaging.media m
  where m.id = (request->>'mediaId')::uuid
  for no key update;
  if outcome = 'retry' and (request->>'isOutage')::boolean
    and file.created_at > clock - interval '1 day' then
    update messaging.outbox o
    set attempts = greatest(o.attempts - 1, 0)
    where o.id = (request->>'outboxId')::uuid
      and o.claim_token = (request->>'claimToken')::uuid and o.status = 'pending';
  end if;
  row_status := public.settle_outbox(
    jsonb_build_object(
      'outboxId', request->>'outboxId',
      'claimToken', request->>'claimToken',
      'outcome', case outcome when 'retry' then 'retry' else 'done' end,
      'error', request->'error'->>'code',
      'retryAfterMs', request->'retryAfterMs'
    )
  )->>'status';
  if row_status is null then
    return jsonb_build_object('status', null, 'isForgotten', false);
  end if;
  if file.id is null or file.status = 'expired' then
    return jsonb_build_object('status', 'expired', 'isForgotten', outcome = 'stored');
  end if;
  file_status := case
    when outcome <> 'retry' then outcome
    when row_status = 'dead' then 'failed'
    else 'pending'
  end;
  if outcome = 'stored' then
    update messaging.media m
    set status = 'stored', mime_type = request->>'mimeType', size = (request->>'size')::bigint,
      sha256 = request->>'sha256', stored_at = clock, last_error = null, source = null
    where m.id = file.id;
    if (request->>'asksTranscript')::boolean then
      insert into messaging.outbox (workspace_id, kind, payload)
      select i.workspace_id, 'media_transcription',
        jsonb_build_object('instanceId', i.id, 'mediaId', file.id)
      from messaging.instances i
      where i.id = file.instance_id;
      return jsonb_build_object('status', 'stored', 'isForgotten', false);
    end if;
  else
    -- The source stays with what has failed: a person may send it round again.
    update messaging.media m
    set status = file_status, last_error = request->'error',
      source = case when file_status = 'expired' then null else m.source end,
      storage_path = case when file_status = 'expired' then null else m.storage_path end
    where m.id = file.id;
    -- A former attempt may have left a part of it, where its worker was killed.
    if file_status <> 'pending' and exists (
      select from messaging.outbox o where o.id = (request->>'outboxId')::uuid and o.attempts > 1
    ) then
      perform messaging.delete_media_files(file.instance_id, array[file.storage_path], false);
    end if;
  end if;
  if file_status <> 'pending' and file.kind = 'audio' then
    perform messaging.release_agent_reply(file.id);
  end if;
  return jsonb_build_object('status', file_status, 'isForgotten', false);
end;
$$;
revoke all on function messaging.record_media_fetch(jsonb) from public, anon, authenticated;
grant execute on function messaging.record_media_fetch(jsonb) to service_role;

-- Claims received files that are due to be fetched, with what a worker needs for it. What there is nothing
-- to fetch for (any more) is settled. A file whose row a person has sent round again is `pending` again.
-- Returns an array of {outboxId, claimToken, file}.
create or replace function messaging.take_media_fetches(max_rows integer, lease_seconds integer)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  claimed constant jsonb := public.claim_outbox(
    jsonb_build_object(
      'kinds', jsonb '["media_fetch"]', 'maxRows', max_rows, 'leaseSeconds', lease_seconds
    )
  )->'rows';
  claim jsonb;
  file jsonb;
  taken jsonb := '[]';
begin
  for claim in select c.value from jsonb_array_elements(claimed) as c
  loop
    file := public.begin_media_fetch(claim->'payload')->'file';
    if file = jsonb 'null' then
      perform public.settle_outbox(
        jsonb_build_object(
          'outboxId', claim->'outboxId', 'claimToken', claim->'claimToken', 'outcome', 'done'
        )
      );
    else
      taken := taken || jsonb_build_object(
        'outboxId', claim->'outboxId', 'claimToken', claim->'claimToken', 'file', file
      );
    end if;
  end loop;
  return taken;
end;
$$;
revoke all
on function messaging.take_media_fetches(integer, integer)
from public, anon, authenticated;
grant execute on function messaging.take_media_fetches(integer, integer) to service_role;

-- Hands out due messages, each with a claim that its settling must show: at most one paced message
-- per instance, in order, one interval apart and inside the window; and unpaced messages that are due.
-- A message leaves when its typing has been shown: pace counts from then, and both lie in the window.
-- `request`: maxMessages, leaseSeconds (a message's typing delay is added to it).
-- Returns {messages, nextDueInMs, isOutboxDue, webhooks}: nextDueInMs says in how long something is due
-- that was not handed out (by the database's clock; NULL for nothing known), isOutboxDue whether
-- claim_outbox has work, webhooks what event_work says. Never waits for a lock: what another session holds is left for later.
-- An outbox row that is due counts for isOutboxDue alone. For nextDueInMs it would be due at once for as
-- long as its worker has no room for it: 50 polls a second beside received files, most of their cost.
-- Plans must not depend on statistics: the queue may hold ten rows or a million. The two claims inherit
-- the settings below. Joins are written `key = any (array[other.key])`, here and wherever a table that
-- drains is joined: while statistics call it empty, a plain equality lets the planner read the whole
-- primary key for each row of the other side, which an array cannot be joined by.
create or replace function public.claim_due_messages(request jsonb)
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
  max_messages constant integer := (request->>'maxMessages')::integer;
  lease constant interval := make_interval(secs => (request->>'leaseSeconds')::double precision);
  clock constant timestamptz := clock_timestamp();
  message_due_at constant timestamptz := messaging.next_wake_up();
  outbox_due_at constant timestamptz := (
    select o.run_at from messaging.outbox o where o.settled_at is null order by o.run_at limit 1
  );
  is_outbox_due constant boolean := coalesce(outbox_due_at <= clock, false);
  max_paced integer;
  paced uuid[];
  unpaced uuid[];
begin
  -- An idle poll ends here: with claims that find nothing it took four times as long.
  if message_due_at is null or message_due_at > clock then
    return jsonb_build_object(
      'messages', jsonb '[]',
      'nextDueInMs', extract(
        epoch from least(message_due_at, case when not is_outbox_due then outbox_due_at end) - clock
      ) * 1000,
      'isOutboxDue', is_outbox_due,
      'webhooks', messaging.event_work()
    );
  end if;
  -- However many paced messages are due, the unpaced lane gets a quarter of the batch if it needs it.
  select max_messages - count(*) into max_paced
  from (
    select from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
    order by q.visible_at
    limit max_messages / 4
  ) as unpaced_due;
  paced := messaging.claim_paced_messages(max_paced, lease, clock);
  unpaced := messaging.claim_unpaced_messages(
    max_messages - coalesce(cardinality(paced), 0), lease, clock
  );
  return jsonb_build_object(
    'messages', messaging.claimed_messages(paced || unpaced),
    'nextDueInMs', (
      -- greatest() ignores NULL, which must stay NULL.
      select case when due.at is not null then greatest(
        extract(epoch from due.at - clock_timestamp()) * 1000, 0
      ) end
      from least(
        messaging.next_wake_up(), case when not is_outbox_due then outbox_due_at end
      ) as due(at)
    ),
    'isOutboxDue', is_outbox_due,
    'webhooks', messaging.event_work()
  );
end;
$$;
revoke all on function public.claim_due_messages(jsonb) from public, anon, authenticated;
grant execute on function public.claim_due_messages(jsonb) to service_role;

-- Claims received files that are due to be fetched: claim_outbox and begin_media_fetch in one call.
-- `request`: maxRows, leaseSeconds. Returns {files: [{outboxId, claimToken, file}]}.
create or replace function public.claim_media_fetches(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return jsonb_build_object('files', messaging.take_media_fetches(
    (request->>'maxRows')::integer, (request->>'leaseSeconds')::integer
  ));
end;
$$;
revoke all on function public.claim_media_fetches(jsonb) from public, anon, authenticated;
grant execute on function public.claim_media_fetches(jsonb) to service_role;

-- Claims outbox rows that are due; settling a row requires its claim. A row whose worker died is due
-- again when its lease ends, and `dead` after its last attempt: work that kills its worker must not
-- come back for ever.
-- A row of an instance that an operator holds is due when the hold ends, unless it is about files: those
-- are fetched and deleted all the same, because providers do not keep them. Its dispatch row is locked for
-- that, without waiting: see postpone_held_messages.
-- `request`: kinds, maxRows, leaseSeconds.
-- Returns {rows: [{outboxId, claimToken, kind, payload}]}.
-- Joins by `= any (array[...])` and the settings below: see claim_due_messages. In plpgsql, which keeps its
-- plan: making it anew for each call took most of the call's time.
create or replace function public.claim_outbox(request jsonb)
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
  claimed_rows jsonb;
begin
  -- The clock is a value: a volatile function would make the plan read the index to its end.
  with due as (
    select o.id, o.kind, (o.payload->>'instanceId')::uuid as instance_id,
      o.claim_token is not null and o.attempts >= messaging.outbox_attempts(o.kind) as is_over
    from jsonb_array_elements_text(request->'kinds') as wanted(kind)
    -- Each kind by itself: what waits of another one is not read.
    cross join lateral (
      select r.*
      from messaging.outbox r
      where r.kind = wanted.kind and r.settled_at is null
        and r.run_at <= (select clock_timestamp())
      order by r.run_at
      limit (request->>'maxRows')::integer
      for no key update skip locked
    ) as o
    order by o.run_at
    limit (request->>'maxRows')::integer
  ),
  checked as (
    select due.id, due.instance_id, due.is_over, due.kind not like 'media_%' and exists (
      select from messaging.dispatch d
      where d.instance_id = any (array[due.instance_id])
        and d.operator_hold_until > (select clock_timestamp())
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
    returning o.kind, o.payload
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
    returning o.id, o.claim_token, o.kind, o.payload
  )
  select jsonb_build_object('rows', coalesce(
    jsonb_agg(jsonb_build_object(
      'outboxId', c.id,
      'claimToken', c.claim_token,
      'kind', c.kind,
      'payload', c.payload
    )),
    '[]'
  ))
  into claimed_rows
  from claimed c;
  return claimed_rows;
end;
$$;
revoke all on function public.claim_outbox(jsonb) from public, anon, authenticated;
grant execute on function public.claim_outbox(jsonb) to service_role;

-- Records how the fetching of a file ended, with its outbox row. `request`: outboxId, claimToken, mediaId,
-- outcome (stored | failed | expired | retry), error {code, message}, retryAfterMs; of a stored one
-- mimeType, size, sha256, and asksTranscript, whether its words are to be written down.
-- `isOutage`: the storage failed, not the file. Such an attempt does not count on the file's first day.
-- After its last attempt a file is `failed`. Only the holder of the claim settles.
-- `nextLeaseSeconds`: claims the next file for so long, in the same transaction; absent for none.
-- Returns {status, isForgotten, next}: the file's status now, NULL where the claim was lost; isForgotten
-- says that a stored file is wanted no more, and is to be deleted; next is the file that was claimed
-- (see take_media_fetches), NULL for none.
create or replace function public.settle_media_fetch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  settled constant jsonb := messaging.record_media_fetch(request);
  lease_seconds constant integer := (request->>'nextLeaseSeconds')::integer;
begin
  return settled || jsonb_build_object('next', case
    when lease_seconds is not null then messaging.take_media_fetches(1, lease_seconds)->0
  end);
end;
$$;
revoke all on function public.settle_media_fetch(jsonb) from public, anon, authenticated;
grant execute on function public.settle_media_fetch(jsonb) to service_role;

-- Records how the work of a claimed outbox row ended. `request`: outboxId, claimToken, outcome (done |
-- retry | dead), error (a code), retryAfterMs (at most a day counts). After its last attempt
-- (outbox_attempts) a row is `dead`: it stays, visible and retriable. Only the holder of the claim
-- settles.
-- Returns {status}, NULL where the claim was lost.
create or replace function public.settle_outbox(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  settled_status text;
begin
  update messaging.outbox o
  set claim_token = null,
    last_error = request->>'error',
    status = case
      when request->>'outcome' = 'done' then 'done'
      when request->>'outcome' = 'dead' or o.attempts >= messaging.outbox_attempts(o.kind) then 'dead'
      else 'pending'
    end,
    settled_at = case
      when request->>'outcome' = 'retry' and o.attempts < messaging.outbox_attempts(o.kind) then null
      else clock_timestamp()
    end,
    run_at = clock_timestamp() + greatest(
      messaging.outbox_delay(o.kind, o.attempts),
      interval '1 millisecond'
        * least(coalesce((request->>'retryAfterMs')::double precision, 0), 86400000)
    )
  where o.id = (request->>'outboxId')::uuid
    and o.claim_token = (request->>'claimToken')::uuid
    and o.status = 'pending'
  returning o.status into settled_status;
  return jsonb_build_object('status', settled_status);
end;
$$;
revoke all on function public.settle_outbox(jsonb) from public, anon, authenticated;
grant execute on function public.settle_outbox(jsonb) to service_role;
