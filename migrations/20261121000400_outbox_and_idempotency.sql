-- Written by `deno task db:baseline` from supabase/schemas: change those files, not this one.

-- source: supabase/schemas/tables/outbox.sql
-- Everything slow that a request promised: e-mails, agent replies. Written in the request's
-- transaction, done after it at least once; the id is the receiver's idempotency key.
create table public.outbox (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null,
  kind text not null,
  payload jsonb not null,
  status text not null default 'pending',
  run_at timestamptz not null default now(),
  attempts smallint not null default 0,
  claim_token uuid,
  last_error text,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  conversation_id uuid,
  constraint outbox_kind_known check (kind in ('assignment_email', 'agent_reply')),
  constraint outbox_status_known check (status in ('pending', 'done', 'dead')),
  constraint outbox_settled_when_over check ((status = 'pending') = (settled_at is null))
) with (fillfactor = 70);
create index outbox_conversation on public.outbox (conversation_id)
  where status = 'pending' and conversation_id is not null;
create index outbox_settled on public.outbox (status, settled_at) where status <> 'pending';
create index outbox_workspace on public.outbox (workspace_id, created_at, id);
create index outbox_age on public.outbox (created_at, id);
create index outbox_due on public.outbox (run_at) where status = 'pending';
alter table public.outbox enable row level security;
revoke all on table public.outbox from public, anon, authenticated;
grant select, insert, update, delete on table public.outbox to service_role;
comment on column public.outbox.run_at is 'When due; while claimed, when the lease ends.';

-- source: supabase/schemas/tables/idempotency_keys.sql
-- Outcomes of executions by `Idempotency-Key`, written in the execution's own transaction, so that
-- a crash leaves either both or neither.
create table public.idempotency_keys (
  scope text not null,
  key text not null,
  fingerprint text not null,
  outcome jsonb,
  response jsonb,
  message_id uuid,
  attempt smallint,
  created_at timestamptz not null default now(),
  primary key (scope, key),
  constraint idempotency_keys_key_length check (char_length(key) between 1 and 255)
);
create index idempotency_keys_age on public.idempotency_keys (created_at);
alter table public.idempotency_keys enable row level security;
revoke all on table public.idempotency_keys from public, anon, authenticated;
grant select, insert, update, delete on table public.idempotency_keys to service_role;
comment on column public.idempotency_keys.scope is 'The client token''s id, or "admin" for the secret key.';
comment on column public.idempotency_keys.outcome is 'What the transaction decided; the response is a pure function of it.';
comment on column public.idempotency_keys.response is 'Status and body (as text, whose members keep their order), where the provider''s answer is part of them.';
comment on column public.idempotency_keys.attempt is 'Which attempt of the message the response tells of.';

-- source: supabase/schemas/functions/outbox_attempts.sql
-- How often the work of an outbox row is tried: 12 times (about 10 hours), 5 for an agent's reply
-- (minutes: later it would answer out of the blue).
create or replace function public.outbox_attempts(kind text)
returns integer
language sql
immutable parallel safe
set search_path = ''
as $$
  select case kind when 'agent_reply' then 5 else 12 end;
$$;
revoke all on function public.outbox_attempts(text) from public, anon, authenticated;
grant execute on function public.outbox_attempts(text) to service_role;

-- source: supabase/schemas/functions/claim_outbox.sql
-- Hands out outbox rows that are due, each with a claim that its settling must show. A row whose
-- worker died is due again when its lease ends, and `dead` once it has cost its last attempt: work
-- that kills whoever does it must not come back for ever.
-- `request`: kinds, maxRows, leaseSeconds.
-- Returns {rows: [{outboxId, claimToken, kind, payload}]}.
create or replace function public.claim_outbox(request jsonb)
returns jsonb
language sql
set search_path = ''
as $$
  -- The clock as a value, or the index would be read to its end.
  with due as (
    select o.id,
      o.claim_token is not null and o.attempts >= public.outbox_attempts(o.kind) as is_over
    from public.outbox o
    where o.status = 'pending' and o.run_at <= (select clock_timestamp())
      and o.kind in (select jsonb_array_elements_text(request->'kinds'))
    order by o.run_at
    limit (request->>'maxRows')::integer
    for no key update skip locked
  ),
  given_up as (
    update public.outbox o
    set status = 'dead', claim_token = null, last_error = 'worker_lost',
      settled_at = clock_timestamp()
    from due
    where o.id = due.id and due.is_over
  ),
  claimed as (
    update public.outbox o
    set claim_token = gen_random_uuid(),
      attempts = o.attempts + 1,
      run_at = clock_timestamp()
        + make_interval(secs => (request->>'leaseSeconds')::double precision)
    from due
    where o.id = due.id and not due.is_over
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

-- source: supabase/schemas/functions/settle_outbox.sql
-- Records how the work of a claimed outbox row ended. `request`: outboxId, claimToken, outcome
-- (done | retry | dead), error (a code), retryAfterMs (a day counts at most). After its last attempt (outbox_attempts) a
-- row is `dead`: it stays, visible and retriable. Only who still holds the claim settles.
-- Returns {status}, NULL where the claim was lost.
create or replace function public.settle_outbox(request jsonb)
returns jsonb
language sql
set search_path = ''
as $$
  with settled as (
    update public.outbox o
    set claim_token = null,
      last_error = request->>'error',
      status = case
        when request->>'outcome' = 'done' then 'done'
        when request->>'outcome' = 'dead' or o.attempts >= public.outbox_attempts(o.kind) then 'dead'
        else 'pending'
      end,
      settled_at = case
        when request->>'outcome' = 'retry' and o.attempts < public.outbox_attempts(o.kind) then null
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

-- source: supabase/schemas/functions/keep_outcome.sql
-- Keeps under the call's `Idempotency-Key`, if it has one, what its transaction decided.
create or replace function public.keep_outcome(idempotency jsonb, outcome jsonb, message_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
  if idempotency is null or jsonb_typeof(idempotency) = 'null' then
    return;
  end if;
  update public.idempotency_keys k
  set outcome = keep_outcome.outcome, message_id = keep_outcome.message_id
  where k.scope = idempotency->>'scope' and k.key = idempotency->>'key';
end;
$$;
revoke all on function public.keep_outcome(jsonb, jsonb, uuid) from public, anon, authenticated;
grant execute on function public.keep_outcome(jsonb, jsonb, uuid) to service_role;
