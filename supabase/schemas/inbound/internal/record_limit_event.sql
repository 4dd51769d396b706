-- Records that the official channel has changed how much a number may send, or says that it will.
-- `event`: change, limit (NULL where it is not told), effectiveAt (of what is planned), phone (as the
-- channel displays it), at. It informs only. The newest by the provider's own time wins, and what was told
-- already is no event; nor is a limit that is as it was. News of a number that is another instance's are not
-- this one's. Returns whether it was news. Locks dispatch.
create or replace function messaging.record_limit_event(instance messaging.instances, event jsonb)
returns boolean language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  told_at constant timestamptz := coalesce((event->>'at')::timestamptz, clock_timestamp());
  former messaging.dispatch;
begin
  if messaging.concerns_other_instance(instance, event->>'phone') then
    return false;
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
  if event->>'limit' = former.channel_limit then
    return true;
  end if;
  perform messaging.record_event(
    instance.id, null, 'instance.limit_changed', jsonb_build_object(
      'reason', event->'change',
      'limit', event->'limit',
      'previousLimit', former.channel_limit,
      'effectiveAt', event->'effectiveAt'
    )
  );
  return true;
end;
$$;
