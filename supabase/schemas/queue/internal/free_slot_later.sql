-- enqueue_message_later: the first slot from `not_before` on that spaced_slot_later gives, with the jitter that
-- the message will have, on a day whose limits have a place, as far as is known now. `held_by` says what moved
-- it, or NULL. Errors: MI010.
-- Plans must not depend on statistics: the settings hold for what it calls.
create or replace function messaging.free_slot_later(
  instance messaging.instances, message_id uuid, contact_id uuid, interval_seconds integer,
  not_before timestamptz, typing interval, out slot timestamptz, out held_by text
) language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  jitter_seconds constant integer := (instance.protection->>'jitterSeconds')::integer;
  pace constant interval := messaging.spacing(
    instance.messages_per_second,
    coalesce(interval_seconds, messaging.default_interval_seconds())
      + messaging.jitter_of(message_id::text, jitter_seconds),
    interval_seconds is null
  );
  walk messaging.slot_walk;
  is_new boolean;
  day date;
  refusal text;
begin
  select f.slot, f.held_by into slot, held_by
  from messaging.spaced_slot_later(instance, pace, jitter_seconds, not_before, typing) f;
  if instance.protection is null then
    return;
  end if;
  walk := messaging.begin_walk(instance, date_trunc('milliseconds', clock_timestamp()));
  loop
    -- A further message to a new contact takes no place of its own.
    is_new := walk.new_limit is not null and messaging.is_new_contact(contact_id) and not exists (
      select from messaging.messages m
      join messaging.message_queue q on q.message_id = any (array[m.id])
      where m.contact_id = free_slot_later.contact_id and m.status = 'queued'
        and q.scheduled_at <= slot
    );
    day := (slot at time zone instance.time_zone)::date;
    refusal := messaging.refused_day_later(instance, walk, day, is_new);
    exit when refusal is null;
    select f.slot, refusal into slot, held_by
    from messaging.spaced_slot_later(
      instance, pace, jitter_seconds, (day + 1)::timestamp at time zone instance.time_zone, typing
    ) f;
  end loop;
end;
$$;
