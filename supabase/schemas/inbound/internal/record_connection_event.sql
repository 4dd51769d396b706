-- Records what a provider says about an instance's connection. `event`: state (connected or
-- disconnected), reason, until (the end of a restriction, NULL for none), phone (the number that it is
-- about, NULL for all of the account: see concerns_other_instance), at. The newest by the
-- provider's own time wins: what is older than what was told last changes nothing.
-- While the connection is lost, nothing that the dispatcher sends leaves; immediate sends are tried. When
-- it is back, the paced queue goes on at its pace, and what has become due beside it leaves ten seconds
-- apart.
-- Records instance.connected or instance.disconnected, and tells the workspace's alert address, at most
-- every ten minutes. Returns whether the state has changed. Locks pacing, then dispatch.
create or replace function messaging.record_connection_event(
  instance messaging.instances, event jsonb
) returns boolean language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  told_at constant timestamptz := coalesce((event->>'at')::timestamptz, clock);
  state constant text := event->>'state';
  former messaging.dispatch;
begin
  if messaging.concerns_other_instance(instance, event->>'phone') then
    return false;
  end if;
  perform from messaging.pacing p where p.instance_id = instance.id for no key update;
  select d.* into strict former
  from messaging.dispatch d where d.instance_id = instance.id for no key update;
  if told_at < former.connection_told_at then
    return false;
  end if;
  update messaging.dispatch d
  set connection = event->>'state',
    connection_told_at = told_at,
    disconnected_until = case state
      when 'disconnected' then coalesce((event->>'until')::timestamptz, 'infinity')
      else '-infinity'
    end,
    disconnected_at = case
      when state = 'connected' then null
      when former.connection = 'disconnected' then d.disconnected_at
      else least(told_at, clock)
    end,
    disconnected_reason = case when state = 'disconnected' then event->>'reason' end,
    -- What was refused while the connection was lost says nothing about the one that is back.
    hold_until = case
      when state = 'connected' and former.connection = 'disconnected' then '-infinity'
      else d.hold_until
    end
  where d.instance_id = instance.id;
  perform messaging.refresh_dispatch(array[instance.id]);
  if former.connection is not distinct from state then
    return false;
  end if;
  perform messaging.record_event(
    instance.id, null, 'instance.' || state,
    jsonb_build_object('reason', event->'reason') || case state
      when 'disconnected' then jsonb_build_object(
        'until', messaging.iso_in_zone((event->>'until')::timestamptz, 'UTC'),
        'heldBy', 'disconnected'
      ) || messaging.shown_hold(
        event->>'reason', null, (event->>'until')::timestamptz, instance.time_zone
      )
      else '{}'
    end
  );
  if state = 'connected' then
    perform messaging.resume_unpaced_messages(instance.id, former.disconnected_until, clock);
  elsif coalesce(former.told_disconnected_at < clock - interval '10 minutes', true) then
    perform messaging.tell_disconnection(instance, clock);
  end if;
  return true;
end;
$$;
