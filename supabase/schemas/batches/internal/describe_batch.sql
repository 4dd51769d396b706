-- The record of a batch, with instants in its instance's zone. firstScheduledFor and lastScheduledFor are
-- those of its messages, and of the slots that are forecast for its pending recipients: see walk_batches, and
-- for many of them expected_end.
create or replace function messaging.describe_batch(batch messaging.batches)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
  zone constant text := instance.time_zone;
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  -- More slots than these are not forecast one by one whenever a batch is read.
  most_forecast constant integer := 1000;
  first_slot timestamptz;
  last_slot timestamptz;
  first_expected timestamptz;
  last_expected timestamptz;
  estimates jsonb := '{"estimatedCostAfterChange": null}';
begin
  select min(m.scheduled_for), max(m.scheduled_for) into first_slot, last_slot
  from messaging.messages m
  where m.batch_id = batch.id;
  if batch.status = 'running' and batch.pending_count > 0 then
    begin
      select min(w.slot), max(w.slot) into first_expected, last_expected
      from messaging.walk_batches(
        instance, clock, null, null, batch.id,
        case when batch.pending_count > most_forecast then batch.first_pending end, null
      ) as w;
    exception when sqlstate 'MI010' then
      null;
    end;
    if batch.pending_count > most_forecast then
      last_expected := messaging.expected_end(instance, batch, clock);
    end if;
    first_slot := least(first_slot, first_expected);
    last_slot := greatest(last_slot, last_expected);
  end if;
  if batch.status = 'draft' or messaging.announced_category(batch) is not null then
    estimates := messaging.describe_estimates(
      instance, batch, messaging.planned_recipients(instance, batch, clock)
    );
  end if;
  if batch.status <> 'draft' then
    estimates := estimates
      || jsonb_build_object('estimatedCost', messaging.batch_cost(instance, batch));
  end if;
  return estimates || jsonb_build_object(
    'batchId', batch.id,
    'name', batch.name,
    'status', batch.status,
    'templateId', batch.source->'template'->'templateId',
    'purpose', coalesce(batch.purpose, 'service'),
    'validation', batch.validation,
    'intervalSeconds', trim_scale(extract(epoch from messaging.spacing(
      instance.messages_per_second, batch.interval_seconds, batch.follows_pace
    ))),
    'startAt', messaging.iso_in_zone(batch.start_at, zone),
    'expiresAt', messaging.iso_in_zone(batch.expires_at, zone),
    'recipientCount', batch.recipient_count,
    'counts', messaging.batch_counts(batch),
    'firstScheduledFor', messaging.iso_in_zone(first_slot, zone),
    'lastScheduledFor', messaging.iso_in_zone(last_slot, zone),
    'createdAt', messaging.iso_in_zone(batch.created_at, zone),
    'startedAt', messaging.iso_in_zone(batch.started_at, zone),
    'finishedAt', messaging.iso_in_zone(batch.finished_at, zone),
    'pauseReason', batch.pause_reason,
    'pauseError', messaging.shown_error(batch.pause_error),
    'warnings', messaging.batch_warnings(batch)
  );
end;
$$;
