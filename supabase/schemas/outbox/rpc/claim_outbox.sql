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
