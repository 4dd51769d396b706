-- A migration of release 1.0.0, written from supabase/schemas. Never edited: see docs/migrations.md.

set local check_function_bodies = off;

-- source: supabase/schemas/outbox/internal/describe_outbox_row.sql
-- admin-api: an outbox row as a response shows it: its state, without content and recipient.
create or replace function messaging.describe_outbox_row(entry messaging.outbox)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'outboxId', entry.id,
    'workspaceId', entry.workspace_id,
    'instanceId', entry.payload->>'instanceId',
    'kind', entry.kind,
    'status', entry.status,
    'attempts', entry.attempts,
    'lastError', entry.last_error,
    'runAt', messaging.iso_in_zone(entry.run_at, 'UTC'),
    'createdAt', messaging.iso_in_zone(entry.created_at, 'UTC'),
    'settledAt', messaging.iso_in_zone(entry.settled_at, 'UTC')
  );
$$;
revoke all
on function messaging.describe_outbox_row(messaging.outbox)
from public, anon, authenticated;
grant execute on function messaging.describe_outbox_row(messaging.outbox) to service_role;

-- source: supabase/schemas/outbox/internal/outbox_attempts.sql
-- How often the work of an outbox row is tried: 12 times (about 10 hours), 5 for an agent's reply
-- (minutes: later it would answer out of the blue).
create or replace function messaging.outbox_attempts(kind text)
returns integer
language sql
immutable
parallel safe
set search_path = ''
as $$
  select case kind when 'agent_reply' then 5 else 12 end;
$$;
revoke all on function messaging.outbox_attempts(text) from public, anon, authenticated;
grant execute on function messaging.outbox_attempts(text) to service_role;

-- source: supabase/schemas/outbox/rpc/claim_outbox.sql
-- Claims outbox rows that are due; settling a row requires its claim. A row whose worker died is due
-- again when its lease ends, and `dead` after its last attempt: work that kills its worker must not
-- come back for ever.
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
    select o.id,
      o.claim_token is not null and o.attempts >= messaging.outbox_attempts(o.kind) as is_over
    from messaging.outbox o
    where o.settled_at is null and o.run_at <= (select clock_timestamp())
      and o.kind in (select jsonb_array_elements_text(request->'kinds'))
    order by o.run_at
    limit (request->>'maxRows')::integer
    for no key update skip locked
  ),
  given_up as (
    update messaging.outbox o
    set status = 'dead', claim_token = null, last_error = 'worker_lost',
      settled_at = clock_timestamp()
    from due
    where o.id = any (array[due.id]) and due.is_over
  ),
  claimed as (
    update messaging.outbox o
    set claim_token = gen_random_uuid(),
      attempts = o.attempts + 1,
      run_at = clock_timestamp()
        + make_interval(secs => (request->>'leaseSeconds')::double precision)
    from due
    where o.id = any (array[due.id]) and not due.is_over
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

-- source: supabase/schemas/outbox/rpc/list_outbox.sql
-- admin-api: what was promised to be done after a request, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, status or NULL for any, limit,
-- `after` as returned in `next`. Returns {items, next}. Error: MI013.
create or replace function public.list_outbox(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', r.created_at, 'id', r.id, 'record', messaging.describe_outbox_row(r)
      )
      from messaging.outbox r
      where (r.created_at, r.id) > (page.after_at, page.after_id)
        and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
        and (request->>'status' is null or r.status = request->>'status')
      order by r.created_at, r.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
revoke all on function public.list_outbox(jsonb) from public, anon, authenticated;
grant execute on function public.list_outbox(jsonb) to service_role;

-- source: supabase/schemas/outbox/rpc/retry_outbox.sql
-- admin-api: gives a dead outbox row its attempts again, from now on. A row that is done or still
-- pending stays as it is. `request`: outboxId, idempotency (see begin_idempotent).
-- Returns the row, {replayed}, or NULL when there is none. Errors: MI007, MI008.
create or replace function public.retry_outbox(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  entry messaging.outbox;
  replayed jsonb;
begin
  if not exists (select from messaging.outbox o where o.id = (request->>'outboxId')::uuid) then
    return null;
  end if;
  replayed := messaging.begin_idempotent(request);
  if replayed is not null then
    return replayed;
  end if;
  update messaging.outbox o
  set status = 'pending', settled_at = null, attempts = 0, run_at = clock_timestamp()
  where o.id = (request->>'outboxId')::uuid and o.status = 'dead';
  select o.* into entry from messaging.outbox o where o.id = (request->>'outboxId')::uuid;
  return messaging.keep_outcome(request, messaging.describe_outbox_row(entry));
end;
$$;
revoke all on function public.retry_outbox(jsonb) from public, anon, authenticated;
grant execute on function public.retry_outbox(jsonb) to service_role;

-- source: supabase/schemas/outbox/rpc/settle_outbox.sql
-- Records how the work of a claimed outbox row ended. `request`: outboxId, claimToken, outcome (done |
-- retry | dead), error (a code), retryAfterMs (at most a day counts). After its last attempt
-- (outbox_attempts) a row is `dead`: it stays, visible and retriable. Only the holder of the claim
-- settles.
-- Returns {status}, NULL where the claim was lost.
create or replace function public.settle_outbox(request jsonb)
returns jsonb
language sql
set search_path = ''
as $$
  with settled as (
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
        least(interval '5 seconds' * power(3, o.attempts - 1), interval '2 hours'),
        interval '1 millisecond'
          * least(coalesce((request->>'retryAfterMs')::double precision, 0), 86400000)
      )
    where o.id = (request->>'outboxId')::uuid
      and o.claim_token = (request->>'claimToken')::uuid
      and o.status = 'pending'
    returning o.status
  )
  select jsonb_build_object('status', (select s.status from settled s));
$$;
revoke all on function public.settle_outbox(jsonb) from public, anon, authenticated;
grant execute on function public.settle_outbox(jsonb) to service_role;
