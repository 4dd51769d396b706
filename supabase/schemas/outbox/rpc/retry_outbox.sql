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
