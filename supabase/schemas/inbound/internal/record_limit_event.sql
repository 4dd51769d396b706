-- Records that the official channel has changed how much a number may send, or says that it will.
-- `event`: change, limit (NULL where it is not told), allowance (see keep_allowance; NULL for nothing told),
-- effectiveAt (of what is planned), phone (as the channel displays it), at. The newest by the provider's own
-- time wins, and what was told already is no event; nor are a limit and an allowance that are as they were.
-- News of a number that is another instance's are not this one's. Returns whether it was news. Locks pacing
-- where it tells of a lock, then dispatch.
create or replace function messaging.record_limit_event(instance messaging.instances, event jsonb)
returns boolean language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  told_at constant timestamptz := coalesce((event->>'at')::timestamptz, clock_timestamp());
  former messaging.dispatch;
  is_news boolean;
begin
  if messaging.concerns_other_instance(instance, event->>'phone') then
    return false;
  end if;
  if event->'allowance' ? 'timeLock' then
    perform from messaging.pacing p where p.instance_id = instance.id for no key update;
  end if;
  select d.* into strict former
  from messaging.dispatch d where d.instance_id = instance.id for no key update;
  if told_at < former.channel_limit_at
    or told_at = former.channel_limit_at
      and event->>'change' is not distinct from former.channel_change
      and coalesce(event->>'limit', former.channel_limit) is not distinct from former.channel_limit
  then
    return false;
  end if;
  update messaging.dispatch d
  set channel_limit = coalesce(event->>'limit', d.channel_limit), channel_limit_at = told_at,
    channel_change = event->>'change'
  where d.instance_id = instance.id;
  is_news := messaging.keep_allowance(instance, event->'allowance') or case
    when event->>'limit' is not null then event->>'limit' is distinct from former.channel_limit
    else event->'allowance' is null
  end;
  if is_news then
    perform messaging.tell_limit_change(instance, event->>'change', jsonb_build_object(
      'limit', event->'limit',
      'previousLimit', former.channel_limit,
      'effectiveAt', event->'effectiveAt'
    ));
  end if;
  if event->'allowance' ? 'timeLock' then
    perform messaging.refresh_dispatch(array[instance.id]);
  end if;
  return true;
end;
$$;
