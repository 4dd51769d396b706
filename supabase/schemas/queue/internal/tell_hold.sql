-- Tells the workspace's alert address, where there is one, that an instance is held, and what there is to know
-- of that hold, `held_by` (see instance_holds): at most every ten minutes, but at once of another one than it was
-- told of last, since nothing would tell of it later. `is_lasting`: whether the hold comes again until a person puts
-- something right; else it tells only of one that lasts longer than a minute. The caller holds dispatch.
create or replace function messaging.tell_hold(
  instance messaging.instances, held_by text, is_lasting boolean, clock timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  insert into messaging.outbox (workspace_id, kind, payload)
  select w.id, 'instance_held_email', jsonb_build_object(
    'instanceId', instance.id,
    'instanceName', instance.name,
    'heldBy', h.held_by,
    'waiting', (
      select count(*) from messaging.queue_of_instance(instance.id) as q
      where q.claim_token is null
    ),
    'alertEmail', w.alert_email
  ) || messaging.shown_hold(h.reason, h.code, h.ends_at, instance.time_zone)
  from messaging.workspaces w
  join messaging.dispatch d on d.instance_id = instance.id
  cross join lateral messaging.instance_holds(d) as h
  where w.id = instance.workspace_id and w.alert_email is not null
    and h.held_by = tell_hold.held_by and (is_lasting or h.ends_at > clock + interval '1 minute')
    and (
      coalesce(d.told_held_at < clock - interval '10 minutes', true)
      or d.told_held_by is distinct from h.held_by
    );
  if found then
    update messaging.dispatch d
    set told_held_at = clock, told_held_by = tell_hold.held_by
    where d.instance_id = instance.id;
  end if;
end;
$$;
