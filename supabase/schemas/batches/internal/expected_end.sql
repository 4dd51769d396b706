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
    slot := greatest(messaging.window_open_until(instance, slot), slot + pace);
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
