-- Records that the official channel has changed how much a number may send. `event`: change, limit (NULL
-- where it is not told), phone (as the channel displays it), at. It informs only. The newest by the
-- provider's own time wins, and what was told already is no event. News of a number that is another
-- instance's are not this one's: they come to all instances of an account.
-- Returns whether it was news. Locks dispatch.
create or replace function messaging.record_limit_event(instance messaging.instances, event jsonb)
returns boolean
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  told_at constant timestamptz := coalesce((event->>'at')::timestamptz, clock_timestamp());
  digits constant text := regexp_replace(event->>'phone', '[^0-9]', '', 'g');
  number_key constant text := messaging.phone_identity_key(nullif(digits, ''));
  former messaging.dispatch;
begin
  if number_key <> instance.connected_phone_key and exists (
    select from messaging.instances other
    where other.workspace_id = instance.workspace_id and other.provider = instance.provider
      and other.connected_phone_key = number_key
  ) then
    return false;
  end if;
  select d.* into strict former
  from messaging.dispatch d where d.instance_id = instance.id for no key update;
  if told_at < former.channel_limit_at
    or told_at = former.channel_limit_at
      and event->>'limit' is not distinct from former.channel_limit then
    return false;
  end if;
  update messaging.dispatch d
  set channel_limit = coalesce(event->>'limit', d.channel_limit), channel_limit_at = told_at
  where d.instance_id = instance.id;
  perform messaging.record_event(
    instance.id, null, 'instance.limit_changed', jsonb_build_object(
      'reason', event->'change',
      'limit', event->'limit',
      'previousLimit', former.channel_limit
    )
  );
  return true;
end;
$$;
revoke all
on function messaging.record_limit_event(messaging.instances, jsonb)
from public, anon, authenticated;
grant execute on function messaging.record_limit_event(messaging.instances, jsonb) to service_role;
