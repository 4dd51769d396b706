set local check_function_bodies = off;

-- Claims outbox rows that are due; settling a row requires its claim. A row whose worker died is due
-- again when its lease ends, and `dead` after its last attempt: work that kills its worker must not
-- come back for ever.
-- A row of an instance that an operator holds is due when the hold ends, unless it is about files: those
-- are fetched and deleted all the same, because providers do not keep them. Its dispatch row is locked for
-- that, without waiting: see postpone_held_messages.
-- `request`: kinds, maxRows, leaseSeconds.
-- Returns {rows: [{outboxId, claimToken, kind, payload}]}.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function public.claim_outbox(request jsonb)
returns jsonb
language sql
set search_path = ''
as $$
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
  from claimed c;
$$;
revoke all on function public.claim_outbox(jsonb) from public, anon, authenticated;
grant execute on function public.claim_outbox(jsonb) to service_role;

-- Records how the fetching of a file ended, with its outbox row. `request`: outboxId, claimToken, mediaId,
-- outcome (stored | failed | expired | retry), error {code, message}, retryAfterMs; of a stored one
-- mimeType, size, sha256, and asksTranscript, whether its words are to be written down.
-- `isOutage`: the storage failed, not the file. Such an attempt does not count on the file's first day.
-- After its last attempt a file is `failed`. Only the holder of the claim settles.
-- Returns {status, isForgotten}: the file's status now, NULL where the claim was lost; isForgotten says
-- that a stored file is wanted no more, and is to be deleted.
-- Locks the file, then the outbox row.
create or replace function public.settle_media_fetch(request jsonb)
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
revoke all on function public.settle_media_fetch(jsonb) from public, anon, authenticated;
grant execute on function public.settle_media_fetch(jsonb) to service_role;
