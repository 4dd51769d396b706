-- Records what a provider says about an instance's connection. `event`: state (connected or
-- disconnected), reason, until (the end of a restriction, NULL for none), phone (the number that it is
-- about, NULL for all of the account: see concerns_other_instance), pairedPhone (the number that a gateway's
-- session is of, NULL for not told), at, isAnswer. The newest by the provider's own time wins: what is older
-- than what was told last changes nothing. `isAnswer`: the provider was asked just now. Its answer counts
-- whenever it comes, and leaves that time as it is, because it has none of the provider's own.
-- While the connection is lost, nothing that the dispatcher sends leaves; immediate sends are tried. When
-- it is back, the paced queue goes on at its pace, and what has become due beside it leaves ten seconds
-- apart.
-- Records instance.connected or instance.disconnected, and tells the workspace's alert address, at most
-- every ten minutes. A session of a wrong phone holds the instance: see hold_wrong_phone; the right one ends the
-- links to connect it: see end_used_links. Returns whether the state has changed. Locks pacing, then dispatch.
create or replace function messaging.record_connection_event(
  instance messaging.instances, event jsonb
) returns boolean language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  told_at constant timestamptz := coalesce((event->>'at')::timestamptz, clock);
  is_answer constant boolean := coalesce((event->>'isAnswer')::boolean, false);
  state constant text := event->>'state';
  former messaging.dispatch;
  is_expected boolean;
begin
  if messaging.concerns_other_instance(instance, event->>'phone') then
    return false;
  end if;
  perform from messaging.pacing p where p.instance_id = instance.id for no key update;
  select d.* into strict former
  from messaging.dispatch d where d.instance_id = instance.id for no key update;
  if not is_answer and told_at < former.connection_told_at then
    return false;
  end if;
  update messaging.dispatch d
  set connection = event->>'state',
    connection_told_at = case when is_answer then d.connection_told_at else told_at end,
    disconnected_until = case state
      when 'disconnected' then coalesce((event->>'until')::timestamptz, 'infinity')
      else '-infinity'
    end,
    disconnected_at = case
      when state = 'connected' then null
      when former.connection = 'disconnected' then d.disconnected_at
      else least(told_at, clock)
    end,
    connected_at = case
      when state = 'disconnected' then null
      when former.connection = 'connected' then d.connected_at
      else least(told_at, clock)
    end,
    paired_phone = coalesce(event->>'pairedPhone', d.paired_phone),
    disconnected_reason = case when state = 'disconnected' then event->>'reason' end,
    -- What was refused while the connection was lost says nothing about the one that is back.
    hold_until = case
      when state = 'connected' and former.connection = 'disconnected' then '-infinity'
      else d.hold_until
    end
  where d.instance_id = instance.id
  returning messaging.is_expected_phone(d.paired_phone, instance.connected_phone_key)
  into is_expected;
  if former.connection is not distinct from state then
    perform messaging.hold_wrong_phone(instance, clock);
    perform messaging.refresh_dispatch(array[instance.id]);
    if state = 'connected' then
      perform messaging.end_used_links(instance.id, is_expected, clock);
    end if;
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
  -- After instance.connected: instance.held says what that is worth.
  perform messaging.hold_wrong_phone(instance, clock);
  perform messaging.refresh_dispatch(array[instance.id]);
  if state = 'connected' then
    perform messaging.resume_unpaced_messages(instance.id, former.disconnected_until, clock);
    perform messaging.end_used_links(instance.id, is_expected, clock);
  elsif coalesce(former.told_disconnected_at < clock - interval '10 minutes', true) then
    perform messaging.tell_disconnection(instance, clock);
  end if;
  return true;
end;
$$;

-- Tells the workspace's alert address, where there is one, that an instance has lost its connection. The
-- caller holds the dispatch row.
create or replace function messaging.tell_disconnection(
  instance messaging.instances, clock timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  insert into messaging.outbox (workspace_id, kind, payload)
  select w.id, 'instance_disconnected_email', jsonb_build_object(
    'instanceId', instance.id,
    'instanceName', instance.name,
    'reason', h.reason,
    'waiting', (
      select count(*) from messaging.queue_of_instance(instance.id) as q
      where q.claim_token is null
    ),
    'alertEmail', w.alert_email
  ) || messaging.shown_hold(h.reason, h.code, h.ends_at, instance.time_zone)
  from messaging.workspaces w
  join messaging.dispatch d on d.instance_id = instance.id
  cross join lateral messaging.instance_holds(d) as h
  where w.id = instance.workspace_id and w.alert_email is not null and h.held_by = 'disconnected';
  if found then
    update messaging.dispatch d
    set told_disconnected_at = clock
    where d.instance_id = instance.id;
  end if;
end;
$$;

-- The phone of an instance is connected, so its links to connect it have done their work: those that a page has
-- opened end, and instance.connection_link_used tells each once. One that nobody has opened ends when it is.
-- `is_expected`: whether it is the instance's own phone, NULL for not known; a wrong one leaves the links as they are,
-- for the right one is still to come.
create or replace function messaging.end_used_links(
  instance_id uuid, is_expected boolean, clock timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  link_id uuid;
begin
  if is_expected is false then
    return;
  end if;
  for link_id in
    update messaging.connection_links l
    set used_at = clock
    where l.instance_id = end_used_links.instance_id and l.expires_at > clock
      and l.used_at is null and l.revoked_at is null and l.looks_whole_at > '-infinity'
    returning l.id
  loop
    perform messaging.record_event(
      instance_id, null, 'instance.connection_link_used', jsonb_build_object('linkId', link_id)
    );
  end loop;
end;
$$;
