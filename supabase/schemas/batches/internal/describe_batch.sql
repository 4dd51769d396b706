-- The record of a batch, with instants in its instance's zone. firstScheduledFor and lastScheduledFor are
-- those of its messages, and of the slots that are expected for its pending recipients.
create or replace function messaging.describe_batch(batch messaging.batches)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  zone constant text := (select i.time_zone from messaging.instances i where i.id = batch.instance_id);
  first_slot timestamptz;
  last_slot timestamptz;
begin
  select min(m.scheduled_for), max(m.scheduled_for) into first_slot, last_slot
  from messaging.messages m
  where m.batch_id = batch.id;
  return jsonb_build_object(
    'batchId', batch.id,
    'name', batch.name,
    'status', batch.status,
    'templateId', batch.source->'template'->'templateId',
    'purpose', coalesce(batch.purpose, 'service'),
    'validation', batch.validation,
    'intervalSeconds', batch.interval_seconds,
    'startAt', messaging.iso_in_zone(batch.start_at, zone),
    'expiresAt', messaging.iso_in_zone(batch.expires_at, zone),
    'recipientCount', batch.recipient_count,
    'counts', messaging.batch_counts(batch),
    'firstScheduledFor', messaging.iso_in_zone(first_slot, zone),
    'lastScheduledFor', messaging.iso_in_zone(last_slot, zone),
    'createdAt', messaging.iso_in_zone(batch.created_at, zone),
    'startedAt', messaging.iso_in_zone(batch.started_at, zone),
    'finishedAt', messaging.iso_in_zone(batch.finished_at, zone)
  );
end;
$$;
revoke all on function messaging.describe_batch(messaging.batches) from public, anon, authenticated;
grant execute on function messaging.describe_batch(messaging.batches) to service_role;
