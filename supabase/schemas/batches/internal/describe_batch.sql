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

-- What a batch has cost so far: {amount, currency, unknown}, by the sums of its messages' estimates, which
-- stay when people are erased. `unknown` counts deliveries without a rate, or estimated in another
-- currency than the workspace's rates have now. NULL for gateways, which bill no message.
create or replace function messaging.batch_cost(
  instance messaging.instances, batch messaging.batches
) returns jsonb language sql stable set search_path = '' set enable_seqscan = off as $$
  with own as (
    select max(t.currency) as currency from messaging.rate_tables t
    where t.workspace_id = instance.workspace_id
  ),
  counted as (
    select u.currency, u.amount, u.unknown, u.delivered
    from messaging.usage u
    where u.instance_id = instance.id and u.grouping = 'batch' and u.key = batch.id::text
      and u.day >= (batch.created_at at time zone 'UTC')::date - 1
    union all
    select coalesce(c.currency, ''), c.amount, c.unknown, c.delivered
    from messaging.usage_changes c
    where c.instance_id = instance.id and c.batch_id = batch.id
  )
  select messaging.describe_cost(
      coalesce(sum(c.amount) filter (where c.currency = own.currency), 0), own.currency
    )
    || jsonb_build_object('unknown', coalesce(
      sum(messaging.unknown_cost(c.unknown, c.delivered, c.currency, own.currency)), 0
    ))
  from own
  left join counted c on true
  where instance.provider_class = 'official'
  group by own.currency;
$$;

-- The messages to the recipients of a batch who are pending and may be written to, as if they left at
-- `clock`, but not before the batch's start_at: see describe_estimates. Without those whom a free entry point
-- makes free: they cost nothing, and take none of the month's free service messages.
create or replace function messaging.planned_recipients(
  instance messaging.instances, batch messaging.batches, clock timestamptz
) returns messaging.planned_send[] language plpgsql stable set search_path = ''
set enable_seqscan = off as $$
declare
  climbs constant boolean := messaging.has_ladder(instance, batch);
  leaves_at constant timestamptz := greatest(clock, batch.start_at);
begin
  return array(
    select row(c.phone, leaves_at, true, messaging.rung_category(planned.rung))::messaging.planned_send
    from messaging.batch_recipients r
    join messaging.contacts c on c.id = any (array[r.contact_id])
    cross join lateral (
      select case
        when climbs then messaging.planned_rung(instance, c, r.draft->'ladder', leaves_at)
        else '{}'
      end as rung
    ) as planned
    where r.batch_id = batch.id and r.status = 'pending' and planned.rung is not null
      and messaging.send_refusal(
        c.is_blocked, c.consent_marketing, null, null, null, batch.purpose, null
      ) is null
      and not exists (
        select from messaging.free_entry_point(c.id, c.last_inbound_at, leaves_at)
      )
  );
end;
$$;

-- About when the last of a running batch's many recipients will be written to: by the windows, the intervals
-- and the daily limits, as if nobody were passed over and nothing else were sent, with half the jitter.
-- NULL where the send window never opens. See walk_batches for the exact slots of few.
create or replace function messaging.expected_end(
  instance messaging.instances, batch messaging.batches, clock timestamptz
) returns timestamptz language plpgsql stable set search_path = '' as $$
declare
  walk messaging.slot_walk := messaging.begin_walk(instance, clock);
  running constant integer := (
    select count(*) from messaging.batches b
    where b.instance_id = instance.id and b.status = 'running'
  );
  pace constant interval := greatest(running, 1) * case
    when batch.follows_pace and instance.messages_per_second is not null
      then messaging.spacing(instance.messages_per_second, batch.interval_seconds, true)
    else make_interval(secs => batch.interval_seconds + coalesce(walk.jitter_seconds, 0) / 2.0)
  end;
  remaining integer := batch.pending_count;
  slot timestamptz;
  fitting bigint;
begin
  walk := messaging.next_slot(
    instance, walk, messaging.own_interval(batch), batch.start_at, interval '0', null, false
  );
  slot := walk.slot;
  loop
    fitting := 1 + floor(extract(epoch from greatest(
      messaging.window_open_until(instance, slot) - slot - interval '1 millisecond', interval '0'
    )) / extract(epoch from pace));
    fitting := greatest(
      least(
        fitting, messaging.day_limit(walk, (slot at time zone instance.time_zone)::date)
      ),
      1
    );
    exit when remaining <= fitting;
    remaining := remaining - fitting;
    slot := greatest(messaging.window_open_until(instance, slot), slot + pace * fitting);
    if not messaging.is_send_window_open(instance, slot) then
      slot := messaging.next_window_start(instance, slot);
    end if;
    exit when slot is null;
  end loop;
  return slot + pace * (remaining - 1);
exception when sqlstate 'MI010' then
  return null;
end;
$$;
