-- Records what the official channel tells of the business's own number. `event`: fact (name, quality,
-- username), value, status, reason, phone (as the channel displays it), at. The newest by the provider's own
-- time wins, and what is as it was is no event. News of a number that is another instance's are not this
-- one's. Returns whether it was news.
create or replace function messaging.record_number_event(instance messaging.instances, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  told_at constant timestamptz := coalesce((event->>'at')::timestamptz, clock_timestamp());
  former messaging.number_facts;
begin
  if messaging.concerns_other_instance(instance, event->>'phone') then
    return false;
  end if;
  perform from messaging.dispatch d where d.instance_id = instance.id for no key update;
  select f.* into former from messaging.number_facts f
  where f.instance_id = instance.id and f.fact = event->>'fact';
  if told_at < former.told_at then
    return false;
  end if;
  insert into messaging.number_facts as f (instance_id, fact, value, status, reason, told_at)
  values (
    instance.id, event->>'fact', event->>'value', event->>'status', event->>'reason', told_at
  )
  on conflict on constraint number_facts_pkey do update
  set value = excluded.value, status = excluded.status, reason = excluded.reason,
    told_at = excluded.told_at;
  if (former.value, former.status, former.reason)
    is not distinct from (event->>'value', event->>'status', event->>'reason') then
    return false;
  end if;
  perform messaging.record_event(
    instance.id, null, 'instance.number_changed', jsonb_build_object(
      'fact', event->'fact', 'status', event->'status', 'value', event->'value',
      'previousValue', former.value, 'reason', event->'reason'
    )
  );
  return true;
end;
$$;
