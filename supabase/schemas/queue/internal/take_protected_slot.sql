-- enqueue_message of an instance with protection: takes the next slot, and counts it. The caller holds
-- the pacing row. `pace`: the interval with the jitter. `is_new`: whether the message takes one of the
-- day's places for new contacts; a further message to a new contact takes none, and leaves after the
-- first. Errors: MI010.
create or replace function messaging.take_protected_slot(
  instance_id uuid, contact_id uuid, interval_seconds integer, not_before timestamptz,
  typing interval, jitter_seed text, out slot timestamptz, out held_by text, out pace integer,
  out is_new boolean
) language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  -- Read under the lock: the limits may have changed since the caller's look.
  instance constant messaging.instances := messaging.find_instance(instance_id);
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  walk messaging.slot_walk := messaging.begin_walk(instance, clock);
  known_over constant boolean[] := walk.is_over;
  first_slot timestamptz;
  first_reason text;
begin
  is_new := walk.new_limit is not null and contact_id is not null
    and messaging.is_new_contact(contact_id);
  if is_new then
    select f.scheduled_at, f.held_by into first_slot, first_reason
    from messaging.first_to_new_contact(contact_id) f;
    is_new := not found;
  end if;
  walk := messaging.next_slot(
    instance, walk, interval_seconds, greatest(not_before, first_slot), typing, jitter_seed,
    is_new
  );
  slot := walk.slot;
  pace := walk.interval_seconds;
  held_by := case
    when coalesce(walk.held_by, 'interval') = 'interval' and first_slot > greatest(not_before, clock)
      then coalesce(first_reason, walk.held_by)
    else walk.held_by
  end;
  update messaging.pacing p
  set last_slot_at = greatest(p.last_slot_at, slot + typing)
  where p.instance_id = instance.id;
  if instance.protection is null then
    return;
  end if;
  insert into messaging.paced_days as d (
    instance_id, day, waiting, waiting_new, last_left_at, starts_at
  )
  values (
    instance.id, walk.day, 1, is_new::integer, slot + typing,
    slot - messaging.spacing(instance.messages_per_second, pace, interval_seconds is null)
  )
  on conflict on constraint paced_days_pkey do update
  set waiting = d.waiting + 1,
    waiting_new = d.waiting_new + excluded.waiting_new,
    last_left_at = excluded.last_left_at,
    starts_at = least(d.starts_at, excluded.starts_at);
  if walk.is_over is distinct from known_over then
    update messaging.paced_days d
    set is_over = true
    where d.instance_id = instance.id and d.day >= walk.first_day
      and walk.is_over[d.day - walk.first_day + 1] and not d.is_over;
  end if;
end;
$$;
