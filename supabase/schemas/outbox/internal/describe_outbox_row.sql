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
