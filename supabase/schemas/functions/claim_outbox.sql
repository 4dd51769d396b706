-- Hands out outbox rows that are due, each with a claim that its settling must show. A row whose
-- worker died is due again when its lease ends. `request`: kinds, maxRows,
-- leaseSeconds. Returns {rows: [{outboxId, claimToken, kind, payload, attempts}]}.
create or replace function public.claim_outbox(request jsonb)
returns jsonb
language sql
set search_path = ''
as $$
  with due as (
    select o.id
    from public.outbox o
    where o.status = 'pending' and o.run_at <= clock_timestamp()
      and o.kind in (select jsonb_array_elements_text(request->'kinds'))
    order by o.run_at
    limit (request->>'maxRows')::integer
    for no key update skip locked
  ),
  claimed as (
    update public.outbox o
    set claim_token = gen_random_uuid(),
      attempts = o.attempts + 1,
      run_at = clock_timestamp()
        + make_interval(secs => (request->>'leaseSeconds')::double precision)
    from due
    where o.id = due.id
    returning o.id, o.claim_token, o.kind, o.payload, o.attempts
  )
  select jsonb_build_object('rows', coalesce(
    jsonb_agg(jsonb_build_object(
      'outboxId', c.id,
      'claimToken', c.claim_token,
      'kind', c.kind,
      'payload', c.payload,
      'attempts', c.attempts
    )),
    '[]'
  ))
  from claimed c;
$$;
revoke all on function public.claim_outbox(jsonb) from public, anon, authenticated;
grant execute on function public.claim_outbox(jsonb) to service_role;
