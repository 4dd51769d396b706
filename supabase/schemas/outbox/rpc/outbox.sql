-- admin-api: what was promised to be done after a request, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, status or NULL for any, limit,
-- `after` as returned in `next`. Returns {items, next}. Error: MI013.
create or replace function public.list_outbox(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_outbox_row(r))
    from messaging.outbox r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
      and (request->>'status' is null or r.status = request->>'status')
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- admin-api: gives a dead outbox row its attempts again, from now on. A row that is done or still
-- pending stays as it is. `request`: outboxId, idempotency (see begin_idempotent).
-- Returns the row, {replayed}, or NULL when there is none. Errors: MI007, MI008.
create or replace function public.retry_outbox(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
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

-- admin-api: an outbox row as a response shows it: its state, without content and recipient.
create or replace function messaging.describe_outbox_row(entry messaging.outbox)
returns jsonb language sql stable parallel safe set search_path = '' as $$
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
